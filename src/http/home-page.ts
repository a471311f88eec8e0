import { createHash } from 'node:crypto';
import { html, raw } from 'hono/html';
import type { Entry, Selection } from '../store/catalog.js';
import { HOME_STYLE } from './home-style.js';
import type { Health, SourceStatus } from './node-report.js';

export interface HomeView {
  readonly baseUrl: string;
  readonly version: string;
  readonly health: Health;
  readonly sources: readonly SourceStatus[];
  readonly size: number;
  readonly selection: Selection;
  readonly after: string | undefined;
}

const styleHash = createHash('sha256').update(HOME_STYLE).digest('base64');

/** Nothing but the page's own style is allowed: what strangers wrote can do nothing, should it ever slip through. */
export const HOME_HEADERS: Readonly<Record<string, string>> = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  'referrer-policy': 'no-referrer',
};

/** The page for people: health, components, sources. Plain HTML; the template escapes every value. */
export function homePage(view: HomeView): string {
  return String(html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Component registry ${view.baseUrl}</title>
<style>${raw(HOME_STYLE)}</style>
</head>
<body>
<header>
<h1>Component registry</h1>
<p><span class="state ${view.health}">${view.health}</span> <code>${view.baseUrl}</code> version ${view.version}</p>
<nav aria-label="Interfaces">${INTERFACES.map((path) => html`<a href="${path}">${path}</a> `)}</nav>
</header>
<main>
${componentSection(view)}
${sourceSection(view.sources)}
</main>
</body>
</html>
`);
}

const INTERFACES = ['/component', '/peers', '/storage', '/status', '/health', '/metrics', '/openapi.json'];

function componentSection({ size, selection: { entries, next }, after }: HomeView) {
  return html`<section aria-labelledby="components">
<h2 id="components">Components <small>${size}</small></h2>
${entries.length === 0 ? html`<p>None ${after === undefined ? 'yet' : 'after this one'}.</p>` : html`<ul class="components">${entries.map(componentItem)}</ul>`}
<p class="pages">${after === undefined ? '' : html`<a href="/">First page</a>`}
${next === undefined ? '' : html`<a rel="next" href="/?after=${encodeURIComponent(next)}">Next page</a>`}</p>
</section>`;
}

function componentItem({ metadata, source }: Entry) {
  const { uri, label, version, latest, description, tag, shapes } = metadata;
  return html`<li>
<h3><a href="/c/${encodeURIComponent(uri)}">${label}</a>
${version ? html`<small>${version}</small>` : ''} ${latest ? html`<small>latest</small>` : ''}</h3>
${description ? html`<p>${description}</p>` : ''}
<p><code>${uri}</code></p>
${tag.length > 0 ? html`<p>Tags: ${tag.join(', ')}</p>` : ''}
${shapes.length > 0 ? html`<p>Shapes: ${shapes.map((shape) => html`<code>${shape}</code> `)}</p>` : ''}
<p class="source">From ${source.kind === 'local' ? 'this node' : html`the ${source.kind} ${address(source.url)}`}</p>
</li>`;
}

function sourceSection(sources: readonly SourceStatus[]) {
  return html`<section aria-labelledby="sources">
<h2 id="sources">Sources <small>${sources.length}</small></h2>
<div class="scroll" tabindex="0" role="region" aria-labelledby="sources"><table>
<thead><tr><th scope="col">Source</th><th scope="col">Kind</th><th scope="col">State</th>
<th scope="col">Components</th><th scope="col">Last read</th><th scope="col">Next</th></tr></thead>
<tbody>${sources.map(sourceRow)}</tbody>
</table></div>
</section>`;
}

function sourceRow(source: SourceStatus) {
  const { url, kind, state, components, invalid, failing, lastSuccess, nextAttempt, failingSince, error } =
    source;
  return html`<tr>
<th scope="row">${kind === 'local' ? 'This node' : address(url)}</th>
<td>${kind}${source.configured ? '' : ', learned'}</td>
<td><span class="state ${state}">${state}</span>${failingSince === undefined ? '' : html` since ${time(failingSince)}`}
${error ? html`<br>${error}` : ''}</td>
<td>${components}${invalid.length > 0 ? html`, ${invalid.length} invalid` : ''}${failing.length > 0 ? html`, ${failing.length} unreadable documents` : ''}</td>
<td>${time(lastSuccess)}</td>
<td>${time(nextAttempt)}</td>
</tr>`;
}

/** A link, when it leads to the web: an address that was learned might begin with anything. */
function address(url: string) {
  return /^https?:\/\//i.test(url)
    ? html`<a href="${url}" rel="noreferrer">${url}</a>`
    : html`<code>${url}</code>`;
}

function time(ms: number | undefined) {
  if (ms === undefined) return '–';
  const iso = new Date(ms).toISOString();
  return html`<time datetime="${iso}">${iso.replace('T', ' ').slice(0, 19)}</time>`;
}
