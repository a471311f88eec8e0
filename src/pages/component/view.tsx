import type { Description } from '../../catalog/description.js';
import { canBeShown } from '../../component/capability.js';
import { isChanged } from '../../component/pin.js';
import { graphTaken } from '../../component/provenance.js';
import { isOfThisNode } from '../../component/source.js';
import { componentPath, documentPath, rootPath, whyPath } from '../../http/paths.js';
import type { VersionGroup } from '../../http/versions/version-groups.js';
import { counted } from '../../lib/counted.js';
import { ComponentName, originBadge } from '../shell/component-words.js';
import { item, link, Section, sourceAtLength, sourceName, time } from '../shell/fragments.js';
import { type Markup, renderPage } from '../shell/page.js';
import type { NodeView } from '../shell/view.js';
import type { ComponentView } from './component-view.js';
import { ComponentFacts } from './facts.js';
import { Example, Trial } from './live.js';

/** What strangers say of versions is shown as theirs (design, section 15). */
const THEIRS = (
  <>
    These are described elsewhere. They are not versions of the component above, whatever they say of
    themselves.
  </>
);

/** Versions, namesakes and descriptions that the page lists, of each: there may be thousands. */
const LISTED = 20;

/** The page of one component. */
export function componentPage(view: ComponentView): string {
  const { node, statements, look, entry } = view;
  const [served] = statements;
  const { metadata } = served;
  const main = (
    <article class="component">
      <h1>
        <ComponentName of={served} />
      </h1>
      {metadata.description && <p class="lead">{metadata.description}</p>}
      <ChangedNotice {...view} />
      {look?.state === 'dead' && (
        <p class="alert" role="alert">
          <strong>The module of this component cannot be had:</strong> {look.error}, {time(look.at)}. Pages
          that use it show nothing, so it comes last where components are ranked.
        </p>
      )}
      {entry !== '' && <Trial {...view} />}
      <ComponentFacts {...view} />
      {entry === '' && <Example {...view} />}
      {canBeShown(metadata.capability) && <Usage {...view} />}
      <Others {...view} />
      <OtherForms {...view} />
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
        No component with the uri <code>{uri}</code> is known here. {link(whyPath(node.baseUrl, uri), 'Why?')}
      </p>
      <p>{link(`${rootPath(node.baseUrl)}/`, 'Look for another one')}</p>
    </>
  );
  return renderPage({ node, part: 'components', title, main });
}

/** That the bytes are not what they should be; hosts that check them run nothing of them. */
function ChangedNotice({ statements: [{ metadata, pin }], node }: ComponentView) {
  if (!pin || !isChanged(pin)) return null;
  const { uri, version } = metadata;
  const files = [{ ...pin, uri }, ...(pin.files ?? [])].flatMap(({ uri: file, integrity, changed }) =>
    changed === undefined ? [] : `${file} should be ${integrity} and is ${changed}`,
  );
  return (
    <p class="alert" role="alert">
      <strong>The bytes of this module have changed</strong>
      {version === undefined ? ' although it has no version' : ` under version ${version}`}:{' '}
      {files.join('; ')}. Hosts do not run it. If it is a new release, its author gives it a new version. The
      operator of this node can have it{' '}
      {link(`${rootPath(node.baseUrl)}/docs/operators#pinned-modules`, 'forget what it saw')}.
    </p>
  );
}

/** What stands for the visitor's data where it is not known. */
const YOUR_DATA = 'https://pod.example/your/data';

/** How to use a component: the line that shows data with it where it stands in a page. */
function Usage({ statements: [{ metadata, pin, trust }], node: { baseUrl }, entry }: ComponentView) {
  const integrity = metadata.integrity ?? pin?.integrity;
  const isStranger = integrity === undefined && trust === 'learned';
  const line = (
    <script
      type="module"
      src={`${baseUrl}/embed.js`}
      data-entry={entry || YOUR_DATA}
      data-component={metadata.uri}
      data-integrity={isStranger ? '…' : integrity}
    />
  );
  const title = 'In one line:';
  return (
    <Section id="use" title="Use it">
      <div class="code">
        <p>{title}</p>
        {/* biome-ignore lint/a11y/useSemanticElements: it is code, and scrolls: the keyboard reaches and names it. */}
        <pre tabindex={0} role="region" aria-label={title}>
          <code>{String(line)}</code>
        </pre>
      </div>
      <p class="hint">
        A component runs with all rights of your page.{' '}
        {isStranger
          ? 'Nobody here answers for this one: the line runs nothing until the digest of the bytes that you have looked at stands in place of the dots.'
          : integrity && 'Nothing but the pinned bytes is run.'}
      </p>
    </Section>
  );
}

/** Its other versions, others of its name, and all who describe it. */
function Others({ statements, versions, namesakes, node: { baseUrl } }: ComponentView) {
  const [served] = statements;
  const { uri } = served.metadata;
  const described = `Described by ${counted(statements.length, 'source')}`;
  const reasons = link(whyPath(baseUrl, uri), 'Why is this one served?');
  const version = (one: Description) => {
    const { uri: its, version: number = 'no version', latest } = one.metadata;
    const name =
      its === uri ? <strong aria-current="true">{number}</strong> : link(componentPath(baseUrl, its), number);
    return item([name, latest && <span class="latest"> latest</span>, originBadge(one)], its);
  };
  const namesake = ({ head }: VersionGroup) => {
    const { uri: its, label, version: number = '' } = head.metadata;
    const name = link(componentPath(baseUrl, its), `${label} ${number}`);
    return item([name, originBadge(head)], `${its}, from ${sourceName(head.source)}`);
  };
  const statement = (one: Description) => {
    const document = graphTaken(one.document) ?? one.document;
    const own = one.trust === 'own' ? undefined : 'The node that this one mirrors';
    const where = !isOfThisNode(one.source) && (
      <>document {link(documentPath(baseUrl, document), document)}, </>
    );
    return item(sourceAtLength(one.source, own), [
      where,
      one === served ? 'this description is served' : 'not served: the first one is',
    ]);
  };
  return (
    <>
      {versions.length > 1 && rows('versions', 'Versions', versions, version)}
      {namesakes.length > 0 && rows('namesakes', 'Others of this name', namesakes, namesake, THEIRS)}
      {rows('sources', described, statements, statement, reasons)}
    </>
  );
}

/** The first ones of a list, and how many more there are. */
function rows<T>(
  id: string,
  title: string,
  of: readonly T[],
  row: (one: T) => Markup,
  note?: Markup,
): Markup {
  const more = of.length - LISTED;
  return (
    <Section id={id} title={title}>
      {note && <p class="hint">{note}</p>}
      <ol class="rows">{of.slice(0, LISTED).map(row)}</ol>
      {more > 0 && <p class="hint">… and {more.toLocaleString('en')} more.</p>}
    </Section>
  );
}

/** The same in other forms, for people who follow links and for programs; and the way to change it, for its author. */
function OtherForms({ statements: [{ metadata }], node }: ComponentView) {
  const root = rootPath(node.baseUrl);
  const form = (format: string, name: string) =>
    link(`${root}/component?${new URLSearchParams({ uri: metadata.uri, format })}`, name);
  return (
    <p class="forms">
      The same as {form('json', 'JSON')}, {form('jsonld', 'JSON-LD')} or {form('ttl', 'Turtle')}. For its
      author: {link(`${root}/publish`, 'edit or withdraw it')}
    </p>
  );
}
