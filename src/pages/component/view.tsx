import type { Child } from 'hono/jsx';
import type { Description } from '../../catalog/description.js';
import { canBeShown } from '../../component/capability.js';
import { isChanged } from '../../component/pin.js';
import { isOfThisNode } from '../../component/source.js';
import { componentPath, documentPath, whyPath } from '../../http/paths.js';
import type { VersionGroup } from '../../http/versions/version-groups.js';
import { counted } from '../../lib/counted.js';
import { ComponentName, originBadge, shortName, term } from '../shell/component-words.js';
import {
  badge,
  code,
  item,
  link,
  type Markup,
  placeOf,
  Section,
  sourceAtLength,
  sourceName,
  time,
} from '../shell/fragments.js';
import { type NodeView, renderPage } from '../shell/page.js';
import type { ComponentView } from './component-view.js';
import { ComponentFacts } from './facts.js';
import { Example, Trial } from './live.js';

/** What strangers say of versions is shown as theirs (design, section 15). */
const THEIRS =
  'These are described elsewhere. They are not versions of the component above, whatever they say of themselves.';

/** Versions, namesakes and descriptions that the page lists, of each: there may be thousands. */
const LISTED = 20;

/** The page of one component. */
export function componentPage(view: ComponentView): string {
  const { node, statements, look, entry } = view;
  const [served] = statements;
  const { label, description, capability } = served.metadata;
  const main = (
    <article class="component">
      <h1>
        <ComponentName of={served} />
      </h1>
      {description && <p class="lead">{description}</p>}
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
      {canBeShown(capability) && <Usage {...view} />}
      <Others {...view} />
      <OtherForms {...view} />
    </article>
  );
  return renderPage({ node, part: 'components', title: shortName(label), main });
}

export function noComponentPage(node: NodeView, uri: string): string {
  const title = 'No such component';
  const main = (
    <>
      <h1>{title}</h1>
      <p class="lead">
        No component with the uri <code>{uri}</code> is known here. {link(whyPath(node.baseUrl, uri), 'Why?')}
      </p>
      <p>{link(`${node.root}/`, 'Look for another one')}</p>
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
      {link(`${node.root}/docs/operators#pinned-modules`, 'forget what it saw')}.
    </p>
  );
}

/** What stands for the visitor's data where it is not known. */
const YOUR_DATA = 'https://pod.example/your/data';

/** How to use a component: the line that shows data with it where it stands in a page. */
function Usage({ statements: [{ metadata, pin, trust }], node: { baseUrl, root }, entry }: ComponentView) {
  const integrity = metadata.integrity ?? pin?.integrity;
  const isStranger = trust === 'learned';
  const line = (
    <script
      type="module"
      src={`${baseUrl}/embed.js`}
      data-entry={entry || YOUR_DATA}
      data-component={metadata.uri}
      data-integrity={isStranger ? undefined : integrity}
    />
  );
  return (
    <Section id="use" title="Use it">
      {code('In one line:', String(line))}
      <p class="hint">
        The data is shown where the line stands in the body of your page.{' '}
        {isStranger ? (
          <>
            Nobody here answers for this one: the line shows it in a sandboxed frame, where it reads what
            everybody may read. With <code>data-integrity</code>, the hash of bytes that you have looked at,
            it runs with all rights of your page.
          </>
        ) : (
          <>
            A component runs with all rights of your page.{' '}
            {integrity && <>Nothing but the {term('pinned')} bytes is run.</>}
          </>
        )}{' '}
        More ways: {link(`${root}/docs/web-developers`, 'for web developers')}.
      </p>
    </Section>
  );
}

/** Its other versions, others of its name, and all who describe it. */
function Others({ statements, versions, namesakes, node: { baseUrl } }: ComponentView) {
  const [served] = statements;
  const version = (one: Description) => {
    const { uri, version: number = 'no version', latest } = one.metadata;
    const isThis = uri === served.metadata.uri;
    const name = isThis ? (
      <strong aria-current="true">{shortName(number)}</strong>
    ) : (
      link(componentPath(baseUrl, uri), shortName(number))
    );
    return item([name, latest && badge('latest', 'latest'), originBadge(one)], uri);
  };
  const namesake = ({ head }: VersionGroup) => {
    const { uri, label, version: number = '' } = head.metadata;
    const name = link(componentPath(baseUrl, uri), `${shortName(label)} ${shortName(number)}`);
    return item([name, originBadge(head)], `${uri}, from ${sourceName(head.source)}`);
  };
  const statement = (one: Description) => {
    const linked = (document: string) => link(documentPath(baseUrl, document), document);
    const where = [placeOf(one.document, linked), ', '];
    return item(
      sourceAtLength(one.source, one.trust === 'own' ? undefined : 'The node that this one mirrors'),
      [
        !isOfThisNode(one.source) && where,
        one === served ? 'this description is served' : 'not served: the first one is',
      ],
    );
  };
  const reasons = link(whyPath(baseUrl, served.metadata.uri), 'Why is this one served?');
  const described = `Described by ${counted(statements.length, 'source')}`;
  return (
    <>
      {versions.length > 1 && listed('versions', 'Versions', versions, version)}
      {namesakes.length > 0 && listed('namesakes', 'Others of this name', namesakes, namesake, THEIRS)}
      {listed('sources', described, statements, statement, reasons)}
    </>
  );
}

/** The first ones of a list, and how many more there are. */
function listed<T>(id: string, title: string, of: readonly T[], row: (one: T) => Markup, note?: Child) {
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
function OtherForms({ statements: [{ metadata }], node: { root } }: ComponentView) {
  const form = (format: string, name: string) =>
    link(`${root}/component?${new URLSearchParams({ uri: metadata.uri, format })}`, name);
  return (
    <p class="forms">
      The same as {form('json', 'JSON')}, {form('jsonld', 'JSON-LD')} or {form('ttl', 'Turtle')}. For its
      author: {link(`${root}/publish?${new URLSearchParams({ edit: metadata.uri })}`, 'edit or withdraw it')}
    </p>
  );
}
