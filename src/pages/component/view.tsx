import type { Description } from '../../catalog/description.js';
import { canBeShown } from '../../component/capability.js';
import { isChanged } from '../../component/pin.js';
import { graphTaken } from '../../component/provenance.js';
import { isOfThisNode } from '../../component/source.js';
import { compareVersions } from '../../component/versions.js';
import type { Facts } from '../../explain/facts.js';
import type { ModuleLook } from '../../http/matching/module-looks.js';
import { componentPath, documentPath, rootPath, whyPath } from '../../http/paths.js';
import type { VersionGroup } from '../../http/versions/version-groups.js';
import { counted } from '../../lib/counted.js';
import { ComponentName, OriginBadge } from '../shell/component-words.js';
import { sourceAtLength, sourceName, time } from '../shell/fragments.js';
import { renderPage } from '../shell/page.js';
import type { NodeView } from '../shell/view.js';
import { Known, Said } from './facts.js';
import { Example, Trial } from './trial.js';
import { Usage } from './usage.js';

export interface ComponentView {
  readonly node: NodeView;
  /** Every description of the component, beginning with the one that is served. */
  readonly statements: readonly [Description, ...Description[]];
  /** The same component's versions, this one included, the newest first. */
  readonly versions: readonly Description[];
  /** Other components of the same name. */
  readonly namesakes: readonly VersionGroup[];
  readonly facts: Facts;
  /** URL of the data that the visitor has named; `''` for none. */
  readonly entry: string;
  /** URL of data that the page shows it with; absent where nobody names any, and the node has none of its shape. */
  readonly example: string | undefined;
  /** What is known of its module. */
  readonly look: ModuleLook | undefined;
}

/** Versions, namesakes and descriptions that the page lists, of each: there may be thousands. */
const LISTED = 20;

/** The page of one component. */
export function componentPage(view: ComponentView): string {
  const { node, statements, facts, look, entry, example } = view;
  const [served] = statements;
  const { metadata, source } = served;
  const main = (
    <article class="component">
      <h1>
        <ComponentName of={served} />
      </h1>
      <NewerNotice {...view} />
      {metadata.description && <p class="lead">{metadata.description}</p>}
      <ChangedNotice served={served} baseUrl={node.baseUrl} />
      {look?.state === 'dead' && <DeadNotice look={look} />}
      {entry !== '' && <Trial node={node} metadata={metadata} entry={entry} />}
      <Said served={served} look={look} baseUrl={node.baseUrl} />
      {entry === '' && <Example node={node} metadata={metadata} example={example} />}
      <Known facts={facts} source={source} />
      {canBeShown(metadata.capability) && <Usage served={served} baseUrl={node.baseUrl} entry={entry} />}
      <Versions {...view} />
      <Namesakes {...view} />
      <Sources {...view} />
      <section aria-labelledby="author">
        <h2 id="author">For its author</h2>
        <p>
          <a href={`${rootPath(node.baseUrl)}/publish`}>Edit or withdraw it</a>
        </p>
      </section>
      <Forms {...view} />
    </article>
  );
  return renderPage({ node, part: 'components', title: metadata.label, main });
}

export function noComponentPage(node: NodeView, uri: string): string {
  const title = 'No such component';
  const main = (
    <>
      <h1>{title}</h1>
      <p class="lead">
        No component with the uri <code>{uri}</code> is known here.{' '}
        <a href={whyPath(node.baseUrl, uri)}>Why?</a>
      </p>
      <p>
        <a href={`${rootPath(node.baseUrl)}/`}>Look for another one</a>
      </p>
    </>
  );
  return renderPage({ node, part: 'components', title, main });
}

/** That there is a newer version: the one that is marked as the latest, else the newest that is no trial of one to come. */
function NewerNotice({ statements: [{ metadata }], versions, node }: ComponentView) {
  const place = versions.findIndex((one) => one.metadata.uri === metadata.uri);
  const newer = versions
    .slice(0, place)
    .map((one) => one.metadata)
    .filter(({ version }) => compareVersions(version, metadata.version) > 0);
  const found = newer.find(({ latest }) => latest) ?? newer.find(({ version }) => !version?.includes('-'));
  if (!found) return null;
  return (
    <p class="newer">
      There is a newer version of this component:{' '}
      <a href={componentPath(node.baseUrl, found.uri)}>{found.version}</a>
    </p>
  );
}

/** That the bytes are not what they should be; hosts that check them run nothing of them. */
function ChangedNotice({
  served: { metadata, pin },
  baseUrl,
}: {
  readonly served: Description;
  readonly baseUrl: string;
}) {
  if (!pin || !isChanged(pin)) return null;
  const { version, integrity } = metadata;
  const [were, are] =
    integrity === undefined ? ['were', 'are'] : ['should be', 'are, or are promised to be,'];
  const files = [{ ...pin, uri: undefined }, ...(pin.files ?? [])].filter((one) => one.changed !== undefined);
  return (
    <p class="alert" role="alert">
      <strong>The bytes of this module have changed</strong>{' '}
      {version === undefined ? 'although it has no version' : `under version ${version}`}:{' '}
      {files.map((file) => (
        <>
          {file.uri === undefined ? (
            'they'
          ) : (
            <>
              those of <code>{file.uri}</code>, which it imports,
            </>
          )}{' '}
          {were} <code>{file.integrity}</code> and {are} <code>{file.changed}</code>.{' '}
        </>
      ))}
      Hosts do not run it. If it is a new release, its author gives it a new version. The operator of this
      node can have it <a href={`${rootPath(baseUrl)}/docs/operators#pinned-modules`}>forget what it saw</a>.
    </p>
  );
}

/** What a visitor has to know before anything else: nothing can be shown with it. */
function DeadNotice({ look: { error, at } }: { readonly look: ModuleLook }) {
  return (
    <p class="alert" role="alert">
      <strong>The module of this component cannot be had:</strong> {error}, {time(at)}. Pages that use it show
      nothing, so it comes last where components are ranked.
    </p>
  );
}

function Versions({ statements: [{ metadata }], versions, node }: ComponentView) {
  if (versions.length < 2) return null;
  const row = (one: Description) => {
    const { uri, version = 'no version', latest } = one.metadata;
    const isCurrent = uri === metadata.uri;
    return (
      <li>
        {isCurrent ? (
          <strong aria-current="true">{version}</strong>
        ) : (
          <a href={componentPath(node.baseUrl, uri)}>{version}</a>
        )}
        {latest && (
          <>
            {' '}
            <span class="latest">latest</span>
          </>
        )}
        {!isCurrent && <OriginBadge of={one} />} <small>{uri}</small>
      </li>
    );
  };
  return (
    <section aria-labelledby="versions">
      <h2 id="versions">Versions</h2>
      <ul class="rows">{versions.slice(0, LISTED).map(row)}</ul>
      <More of={versions.length} />
    </section>
  );
}

/** Components of the same name from elsewhere: what strangers say of versions is shown as theirs (design, section 15). */
function Namesakes({ namesakes, node }: ComponentView) {
  if (namesakes.length === 0) return null;
  return (
    <section aria-labelledby="namesakes">
      <h2 id="namesakes">Others of this name</h2>
      <p class="hint">
        These are described elsewhere. They are not versions of the component above, whatever they say of
        themselves.
      </p>
      <ul class="rows">
        {namesakes.slice(0, LISTED).map(({ head }) => (
          <li>
            <a href={componentPath(node.baseUrl, head.metadata.uri)}>
              {head.metadata.label} {head.metadata.version}
            </a>
            <OriginBadge of={head} />{' '}
            <small>
              {head.metadata.uri}, from {sourceName(head.source)}
            </small>
          </li>
        ))}
      </ul>
      <More of={namesakes.length} />
    </section>
  );
}

function Sources({ statements, node: { baseUrl } }: ComponentView) {
  const { uri } = statements[0].metadata;
  const mirrored = 'The node that this one mirrors';
  const row = (one: Description, index: number) => {
    const document = graphTaken(one.document) ?? one.document;
    return (
      <li>
        {sourceAtLength(one.source, one.trust === 'own' ? undefined : mirrored)}{' '}
        {!isOfThisNode(one.source) && (
          <small>
            document <a href={documentPath(baseUrl, document)}>{document}</a>
          </small>
        )}{' '}
        <small>{index === 0 ? 'this description is served' : 'not served: the first one is'}</small>
      </li>
    );
  };
  return (
    <section aria-labelledby="sources">
      <h2 id="sources">Described by {counted(statements.length, 'source')}</h2>
      <ol class="rows">{statements.slice(0, LISTED).map(row)}</ol>
      <More of={statements.length} />
      <p class="hint">
        <a href={whyPath(baseUrl, uri)}>Why is this description served?</a>
      </p>
    </section>
  );
}

/** That a list is longer than what is shown of it. */
function More({ of }: { readonly of: number }) {
  return of > LISTED ? <p class="hint">… and {(of - LISTED).toLocaleString('en')} more.</p> : null;
}

/** The same in other forms, for people who follow links and for programs. */
function Forms({ statements: [{ metadata }], node }: ComponentView) {
  const link = (format: string, name: string) => {
    const parameters = new URLSearchParams({ uri: metadata.uri, format });
    return <a href={`${rootPath(node.baseUrl)}/component?${parameters}`}>{name}</a>;
  };
  return (
    <p class="forms">
      The same as {link('json', 'JSON')}, {link('jsonld', 'JSON-LD')} or {link('ttl', 'Turtle')}
    </p>
  );
}
