import { applicationLink } from '../../component/application-link.js';
import { canBeShown, KINDS } from '../../component/capability.js';
import type { Metadata } from '../../component/metadata.js';
import { componentPath, trialPath } from '../../http/paths.js';
import { shortName } from '../shell/component-words.js';
import { NO_ADDRESS, Question } from '../shell/forms.js';
import { hostOf, item, link, needsScript, Section } from '../shell/fragments.js';
import type { NodeView } from '../shell/page.js';
import { sourceOf } from '../shell/page-answer.js';
import type { ComponentView } from './component-view.js';
import { reached } from './frame.js';

interface LiveProps {
  readonly node: NodeView;
  readonly metadata: Metadata;
  /** URL of the data. */
  readonly entry: string;
  /** Of the frame. */
  readonly title: string;
  readonly style?: 'large';
  /** What a button says that begins it; absent where it begins by itself. */
  readonly ask?: string | undefined;
}

/** Where the script of the page puts the frame in which a component shows data; nothing for one that can only be opened. */
export function Live({ node, metadata: { uri, capability }, entry, title, style, ask }: LiveProps) {
  if (!canBeShown(capability)) return null;
  const path = `${node.root}/frame?${new URLSearchParams({ uri, entry })}`;
  return (
    <div class={style ? `live ${style}` : 'live'} data-frame={path} data-title={title} data-ask={ask}>
      {needsScript('Components are programs: this needs JavaScript.')}
    </div>
  );
}

/** The component with the data that the visitor has named; links to open it with where it is an application. */
export function Trial({ node, statements: [{ metadata }], entry }: ComponentView) {
  const title = `${metadata.label}, with the data at ${entry}`;
  return (
    <Section id="trial" title="With your data">
      <ul>{applicationLinks(metadata, entry)}</ul>
      {trialForm(node, metadata.uri, entry)}
      <Live {...{ node, metadata, entry, title }} style="large" />
      <p class="hint">
        The component runs in a sandbox of its own. It can talk to the servers of its modules, of its shapes
        and of the data, and to no other. What it asks this page for, it may read and not write; what it sends
        to those servers by itself, it sends as a stranger, without your cookies and tokens. The data must be
        readable for everyone, and its server must let other pages read it (CORS).
      </p>
    </Section>
  );
}

/** Has the component shown with other data. `value`: what stands in the form; `fault`: what is wrong with that. */
function trialForm({ baseUrl }: NodeView, uri: string, value = '', fault?: string) {
  const form = { action: componentPath(baseUrl, uri) };
  return (
    <Question {...{ form, value, fault }} label="URL of your data" name="entry" type="url" button="Try" />
  );
}

/** The component with example data, and the form to try it with one's own. What other servers have waits for a click. */
export function Example({ node, statements: [{ metadata }], example, mistyped }: ComponentView) {
  const { uri, label } = metadata;
  const form = (
    <Section id="try" title="Try it">
      {trialForm(node, uri, mistyped, mistyped && NO_ADDRESS)}
    </Section>
  );
  if (example === undefined || !canBeShown(metadata.capability)) return form;
  const others = reached(metadata, example).named.filter((origin) => origin !== sourceOf(node.baseUrl));
  const asked =
    others.length > 0 && `Your browser asks ${others.map(hostOf).join(', ')}, and no other server. `;
  const whose = example === metadata.example ? 'the data that its author names' : 'an example';
  const ask = others.length > 0 ? 'Show it' : undefined;
  return (
    <>
      <Section id="look" title="How it looks">
        <p class="hint">
          With {link(example, whose)}, in a sandbox. {asked}
          {link(trialPath(node.baseUrl, uri, example), 'Open large')}
        </p>
        <Live {...{ node, metadata, ask }} entry={example} title={`${label}, with example data`} />
      </Section>
      {form}
    </>
  );
}

/** Links that are shown at most: a description may have very many. */
const MOST_LINKS = 12;

/** What opens the data with an application. */
function applicationLinks({ uri, label, capability = [] }: Metadata, entry: string) {
  const urls = capability
    .flatMap(({ invocation = [] }) => invocation)
    .flatMap((one) => (one.type === KINDS.template ? (applicationLink(uri, one, entry) ?? []) : []));
  return [...new Set(urls)]
    .slice(0, MOST_LINKS)
    .map((url) => item(link(url, `Open with ${shortName(label)}`), url));
}
