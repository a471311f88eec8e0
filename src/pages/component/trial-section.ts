import { html } from 'hono/html';
import type { Description } from '../../catalog/description.js';
import { applicationLink } from '../../component/application-link.js';
import {
  canBeShown,
  type Invocation,
  KINDS,
  type UriTemplateInvocation,
} from '../../component/capability.js';
import type { Metadata } from '../../component/metadata.js';
import { rootPath, trialPath } from '../../http/paths.js';
import { reached, sourceOf } from '../shell/content-policy.js';
import { COMPONENTS_NEED_SCRIPTS, needsScript } from '../shell/fragments.js';
import { hostOf, type Markup } from '../shell/page.js';
import type { NodeView } from '../shell/view.js';

/** The component in a sandbox, with the data that the visitor has named. */
export function trialSection(node: NodeView, { metadata }: Description, entry: string): Markup {
  const { uri, label, capability } = metadata;
  const isShown = canBeShown(capability);
  return html`<section aria-labelledby="trial"><h2 id="trial">With your data</h2>
${needsScript(COMPONENTS_NEED_SCRIPTS)}
${links(metadata, entry)}
${isShown ? html`<iframe class="trial" title="${label}, with the data at ${entry}" sandbox="allow-scripts allow-forms" referrerpolicy="no-referrer" src="${framePath(node, uri, entry)}"></iframe>` : ''}
${trialForm(node, uri, entry)}
${
  isShown
    ? html`<p class="hint">The component runs in a sandbox of its own. It can talk to the servers of its modules, of its shapes and of the data, and
to no other. What it asks this page for, it may read and not write; what it sends to those servers by itself, it sends as a
stranger, without your cookies and tokens. The data must be readable for everyone, and its server must let other pages read it (CORS).</p>`
    : ''
}
</section>`;
}

/** The form that has the component shown with other data. `entry`: what stands in it. */
export function trialForm({ baseUrl }: NodeView, uri: string, entry: string): Markup {
  return html`<form class="question" action="${rootPath(baseUrl)}/c/${encodeURIComponent(uri)}" method="get">
<label for="entry">URL of your data</label>
<div><input id="entry" name="entry" type="url" required value="${entry}" placeholder="https://…" autocomplete="url" spellcheck="false">
<button>Try</button></div>
</form>`;
}

/**
 * The component with example data, in the same frame as on /data, and the form to try it with one's own. What is loaded from
 * other servers waits for a click.
 * @param example URL of the data; absent where nobody names any, and the node has none of its shape
 * @param suggested URL of data that stands in the form
 */
export function exampleSection(
  node: NodeView,
  { metadata }: Description,
  {
    example,
    suggested = '',
  }: { readonly example?: string | undefined; readonly suggested?: string | undefined },
): Markup {
  const { uri, capability } = metadata;
  const isShown = canBeShown(capability);
  return html`${isShown && example !== undefined ? inFrame(node, metadata, example) : ''}
<section aria-labelledby="try"><h2 id="try">Try it</h2>${trialForm(node, uri, suggested)}
${isShown ? html`<p class="hint">It runs in a sandbox: it sees the data that you name, and nothing of this node, of your other pages or of you.</p>` : ''}</section>`;
}

function inFrame(node: NodeView, metadata: Metadata, example: string): Markup {
  const { uri, label } = metadata;
  const others = reached(metadata, example).named.filter((origin) => origin !== sourceOf(node.baseUrl));
  const ask = others.length > 0 ? html` data-ask="Show it"` : '';
  return html`<section aria-labelledby="look"><h2 id="look">How it looks</h2>
<p class="hint">With <a href="${example}">${example === metadata.example ? 'the data that its author names' : 'an example'}</a>, in a sandbox.
${others.length > 0 ? `Your browser then asks ${others.map(hostOf).join(', ')}, and no other server.` : ''} <a href="${trialPath(node.baseUrl, uri, example)}">Open large</a></p>
<div class="live" data-frame="${framePath(node, uri, example)}" data-title="${label}, with example data"${ask}></div></section>`;
}

/** The address of the sandbox in which a component is shown with data. */
export function framePath({ baseUrl }: NodeView, uri: string, entry: string): string {
  return `${rootPath(baseUrl)}/frame?${new URLSearchParams({ uri, entry })}`;
}

/** Links that are shown at most: a description may have very many. */
const MOST_LINKS = 12;

/** What opens the data with an application. */
function links({ uri, label, capability = [] }: Metadata, entry: string): Markup | '' {
  const urls = capability
    .flatMap(({ invocation = [] }) => invocation)
    .flatMap((one) => (isTemplate(one) ? (applicationLink(uri, one, entry) ?? []) : []));
  const link = (url: string) =>
    html`<li><a href="${url}" rel="noopener noreferrer">Open with ${label}</a> <small>${url}</small></li>`;
  return urls.length === 0 ? '' : html`<ul>${[...new Set(urls)].slice(0, MOST_LINKS).map(link)}</ul>`;
}

function isTemplate(one: Invocation): one is UriTemplateInvocation {
  return one.type === KINDS.template;
}
