import { applicationLink } from '../../component/application-link.js';
import { canBeShown, KINDS } from '../../component/capability.js';
import type { Metadata } from '../../component/metadata.js';
import { componentPath, rootPath, trialPath } from '../../http/paths.js';
import { sourceOf } from '../shell/content-policy.js';
import { UrlQuestion } from '../shell/forms.js';
import { COMPONENTS_NEED_SCRIPTS, item, link, needsScript, Section } from '../shell/fragments.js';
import { hostOf } from '../shell/page.js';
import type { NodeView } from '../shell/view.js';
import type { ComponentView } from './component-view.js';
import { reached } from './reach.js';

/** The address of the sandbox in which a component is shown with data. */
export function framePath({ baseUrl }: NodeView, uri: string, entry: string): string {
  return `${rootPath(baseUrl)}/frame?${new URLSearchParams({ uri, entry })}`;
}

/** The component in a sandbox, with the data that the visitor has named. */
export function Trial({ node, statements: [{ metadata }], entry }: ComponentView) {
  const { uri, label, capability } = metadata;
  const frame = (
    <>
      <iframe
        class="trial"
        title={`${label}, with the data at ${entry}`}
        sandbox="allow-scripts allow-forms"
        referrerpolicy="no-referrer"
        src={framePath(node, uri, entry)}
      />
      <p class="hint">
        The component runs in a sandbox of its own. It can talk to the servers of its modules, of its shapes
        and of the data, and to no other. What it asks this page for, it may read and not write; what it sends
        to those servers by itself, it sends as a stranger, without your cookies and tokens. The data must be
        readable for everyone, and its server must let other pages read it (CORS).
      </p>
    </>
  );
  return (
    <Section id="trial" title="With your data">
      {needsScript(COMPONENTS_NEED_SCRIPTS)}
      <ul>{applicationLinks(metadata, entry)}</ul>
      {trialForm(node, uri, entry)}
      {canBeShown(capability) && frame}
    </Section>
  );
}

/** Has the component shown with other data. `entry`: what stands in the form. */
function trialForm({ baseUrl }: NodeView, uri: string, entry: string) {
  const action = componentPath(baseUrl, uri);
  return <UrlQuestion action={action} label="URL of your data" name="entry" value={entry} button="Try" />;
}

/**
 * The component with example data, in the same frame as on /data, and the form to try it with one's own. What is loaded from
 * other servers waits for a click.
 */
export function Example({ node, statements: [{ metadata }], example }: ComponentView) {
  const form = (
    <Section id="try" title="Try it">
      {trialForm(node, metadata.uri, '')}
    </Section>
  );
  if (example === undefined || !canBeShown(metadata.capability)) return form;
  const { uri, label } = metadata;
  const others = reached(metadata, example).named.filter((origin) => origin !== sourceOf(node.baseUrl));
  const asked =
    others.length > 0 && `Your browser asks ${others.map(hostOf).join(', ')}, and no other server. `;
  const whose = example === metadata.example ? 'the data that its author names' : 'an example';
  return (
    <>
      <Section id="look" title="How it looks">
        <p class="hint">
          With {link(example, whose)}, in a sandbox. {asked}
          {link(trialPath(node.baseUrl, uri, example), 'Open large')}
        </p>
        <div
          class="live"
          data-frame={framePath(node, uri, example)}
          data-title={`${label}, with example data`}
          data-ask={others.length > 0 ? 'Show it' : undefined}
        />
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
  return [...new Set(urls)].slice(0, MOST_LINKS).map((url) => {
    const way = (
      <a href={url} rel="noopener noreferrer">
        Open with {label}
      </a>
    );
    return item(way, url);
  });
}
