import { applicationLink } from '../../component/application-link.js';
import { canBeShown, KINDS } from '../../component/capability.js';
import type { Metadata } from '../../component/metadata.js';
import { rootPath, trialPath } from '../../http/paths.js';
import { sourceOf } from '../shell/content-policy.js';
import { UrlInput } from '../shell/forms.js';
import { COMPONENTS_NEED_SCRIPTS, needsScript } from '../shell/fragments.js';
import { hostOf } from '../shell/page.js';
import type { NodeView } from '../shell/view.js';
import { reached } from './reach.js';

/** The address of the sandbox in which a component is shown with data. */
export function framePath({ baseUrl }: NodeView, uri: string, entry: string): string {
  return `${rootPath(baseUrl)}/frame?${new URLSearchParams({ uri, entry })}`;
}

interface TrialProps {
  readonly node: NodeView;
  readonly metadata: Metadata;
  /** URL of the data; in a form, what stands in it. */
  readonly entry: string;
}

/** The component in a sandbox, with the data that the visitor has named. */
export function Trial({ node, metadata, entry }: TrialProps) {
  const { uri, label, capability } = metadata;
  const isShown = canBeShown(capability);
  return (
    <section aria-labelledby="trial">
      <h2 id="trial">With your data</h2>
      {needsScript(COMPONENTS_NEED_SCRIPTS)}
      <ApplicationLinks metadata={metadata} entry={entry} />
      {isShown && (
        <iframe
          class="trial"
          title={`${label}, with the data at ${entry}`}
          sandbox="allow-scripts allow-forms"
          referrerpolicy="no-referrer"
          src={framePath(node, uri, entry)}
        />
      )}
      <TrialForm node={node} metadata={metadata} entry={entry} />
      {isShown && (
        <p class="hint">
          The component runs in a sandbox of its own. It can talk to the servers of its modules, of its shapes
          and of the data, and to no other. What it asks this page for, it may read and not write; what it
          sends to those servers by itself, it sends as a stranger, without your cookies and tokens. The data
          must be readable for everyone, and its server must let other pages read it (CORS).
        </p>
      )}
    </section>
  );
}

/** Has the component shown with other data. */
function TrialForm({ node: { baseUrl }, metadata: { uri }, entry }: TrialProps) {
  return (
    <form class="question" action={`${rootPath(baseUrl)}/c/${encodeURIComponent(uri)}`} method="get">
      <label for="entry">URL of your data</label>
      <div>
        <UrlInput name="entry" value={entry} />
        <button type="submit">Try</button>
      </div>
    </form>
  );
}

interface ExampleProps {
  readonly node: NodeView;
  readonly metadata: Metadata;
  /** URL of data to show it with; absent where nobody names any, and the node has none of its shape. */
  readonly example: string | undefined;
}

/** The component with example data, in the same frame as on /data, and the form to try it with one's own. */
export function Example({ node, metadata, example }: ExampleProps) {
  const isShown = canBeShown(metadata.capability);
  return (
    <>
      {isShown && example !== undefined && <ExampleFrame node={node} metadata={metadata} example={example} />}
      <section aria-labelledby="try">
        <h2 id="try">Try it</h2>
        <TrialForm node={node} metadata={metadata} entry="" />
        {isShown && (
          <p class="hint">
            It runs in a sandbox: it sees the data that you name, and nothing of this node, of your other
            pages or of you.
          </p>
        )}
      </section>
    </>
  );
}

/** What is loaded from other servers waits for a click. */
function ExampleFrame({ node, metadata, example }: ExampleProps & { readonly example: string }) {
  const { uri, label } = metadata;
  const others = reached(metadata, example).named.filter((origin) => origin !== sourceOf(node.baseUrl));
  return (
    <section aria-labelledby="look">
      <h2 id="look">How it looks</h2>
      <p class="hint">
        With{' '}
        <a href={example}>{example === metadata.example ? 'the data that its author names' : 'an example'}</a>
        , in a sandbox.{' '}
        {others.length > 0 &&
          `Your browser then asks ${others.map(hostOf).join(', ')}, and no other server. `}
        <a href={trialPath(node.baseUrl, uri, example)}>Open large</a>
      </p>
      <div
        class="live"
        data-frame={framePath(node, uri, example)}
        data-title={`${label}, with example data`}
        data-ask={others.length > 0 ? 'Show it' : undefined}
      />
    </section>
  );
}

/** Links that are shown at most: a description may have very many. */
const MOST_LINKS = 12;

/** What opens the data with an application. */
function ApplicationLinks({ metadata, entry }: Pick<TrialProps, 'metadata' | 'entry'>) {
  const { uri, label, capability = [] } = metadata;
  const urls = capability
    .flatMap(({ invocation = [] }) => invocation)
    .flatMap((one) => (one.type === KINDS.template ? (applicationLink(uri, one, entry) ?? []) : []));
  if (urls.length === 0) return null;
  return (
    <ul>
      {[...new Set(urls)].slice(0, MOST_LINKS).map((url) => (
        <li>
          <a href={url} rel="noopener noreferrer">
            Open with {label}
          </a>{' '}
          <small>{url}</small>
        </li>
      ))}
    </ul>
  );
}
