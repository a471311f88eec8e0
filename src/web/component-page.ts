import { html } from 'hono/html';
import { counted } from '../lib/counted.js';
import type { Description } from '../registry/description.js';
import { address } from './fragments.js';
import { hostOf, type Markup, renderPage } from './page.js';
import { sampleMark } from './samples.js';
import { usage } from './usage.js';
import { componentPath, type NodeView, rootPath, whyPath } from './view.js';

export interface ComponentView {
  readonly node: NodeView;
  /** Every description of the component, beginning with the one that is served. */
  readonly statements: readonly [Description, ...Description[]];
  /** The same component's versions, this one included, the newest first. */
  readonly versions: readonly Description[];
  /** URL of data to try it with, where the node knows some: its samples come with data. */
  readonly entry?: string | undefined;
}

/** The page of one component. */
export function componentPage({ node, statements, versions, entry = '' }: ComponentView): string {
  const [{ metadata }] = statements;
  const { label, version, latest, description } = metadata;
  const main = html`<article class="component">
<h1><bdi>${label}</bdi>${version ? html` <span class="version">${version}</span>` : ''}${latest ? html` <span class="latest">latest</span>` : ''}${sampleMark(statements[0].source)}</h1>
${description ? html`<p class="lead">${description}</p>` : ''}
${facts(statements[0], node.baseUrl)}
<section aria-labelledby="try"><h2 id="try">Try it</h2>${tryForm(node, metadata.uri, entry)}
<p class="hint">It runs in a sandbox: it sees the data that you name, and nothing of this node, of your other pages or of you.</p></section>
${usage(metadata, node.baseUrl)}
${versionsSection(versions, metadata.uri, node.baseUrl)}
${sourcesSection(statements)}
<p class="hint"><a href="${whyPath(node.baseUrl, metadata.uri)}">Why is this description served?</a></p>
</article>`;
  return renderPage({ node, part: 'components', title: `${label} – ${hostOf(node.baseUrl)}`, main });
}

/** The form that opens the component in the sandbox. */
export function tryForm({ baseUrl }: NodeView, uri: string, entry: string): Markup {
  return html`<form class="line" action="${rootPath(baseUrl)}/try" method="get">
<input type="hidden" name="uri" value="${uri}">
<label for="entry">URL of your data</label>
<div><input id="entry" name="entry" type="url" required value="${entry}" placeholder="https://…" autocomplete="url" spellcheck="false">
<button>Try</button></div>
</form>`;
}

/** The page for a uri that no component has. */
export function noComponentPage(node: NodeView, uri: string): string {
  const main = html`<h1>No such component</h1>
<p>No component with the uri <code>${uri}</code> is known here. <a href="${whyPath(node.baseUrl, uri)}">Why?</a></p>
<p><a href="${rootPath(node.baseUrl)}/">Look for another one</a></p>`;
  return renderPage({ node, part: 'components', title: `No such component – ${hostOf(node.baseUrl)}`, main });
}

function facts({ metadata }: Description, baseUrl: string): Markup {
  const { uri, author, tag, shapes } = metadata;
  const search = (name: string, value: string, text: string = value) =>
    html`<a href="${rootPath(baseUrl)}/?${name}=${encodeURIComponent(value)}">${text}</a>`;
  return html`<dl class="facts">
<div><dt>Module</dt><dd>${address(uri)}</dd></div>
${shapes.length > 0 ? html`<div><dt>Renders</dt><dd><ul>${shapes.map((shape) => html`<li>${search('shapes', shape)}</li>`)}</ul></dd></div>` : ''}
${tag.length > 0 ? html`<div><dt>Tags</dt><dd>${tag.map((one) => html`<span class="tag">${search('tag', one)}</span> `)}</dd></div>` : ''}
${author.length > 0 ? html`<div><dt>${author.length > 1 ? 'Authors' : 'Author'}</dt><dd><ul>${author.map((one) => html`<li>${address(one)} <small>${search('author', one, 'all of theirs')}</small></li>`)}</ul></dd></div>` : ''}
</dl>`;
}

function versionsSection(versions: readonly Description[], current: string, baseUrl: string): Markup {
  if (versions.length < 2) return html``;
  const row = ({ metadata: { uri, version, latest } }: Description) => html`<li>
${uri === current ? html`<strong aria-current="true">${version ?? 'no version'}</strong>` : html`<a href="${componentPath(baseUrl, uri)}">${version ?? 'no version'}</a>`}${latest ? html` <span class="latest">latest</span>` : ''}
<small>${uri}</small></li>`;
  return html`<section aria-labelledby="versions"><h2 id="versions">Versions</h2>
<ul class="rows">${versions.map(row)}</ul></section>`;
}

function sourceName({ kind, url }: Description['source']): Markup {
  if (kind === 'sample') return html`The samples that come with this node`;
  if (kind === 'local') return html`This node itself`;
  return html`${kind === 'pod' ? 'Pod' : 'Peer'} ${address(url)}`;
}

function sourcesSection(statements: readonly Description[]): Markup {
  const row = ({ source, document }: Description, place: number) => html`<li>
${sourceName(source)}
${document === source.url ? '' : html`<small>document ${address(document)}</small>`}
<small>${place === 0 ? 'this description is served' : 'stands back behind the first'}</small></li>`;
  return html`<section aria-labelledby="sources"><h2 id="sources">Described by ${counted(statements.length, 'source')}</h2>
<ol class="rows">${statements.map(row)}</ol></section>`;
}
