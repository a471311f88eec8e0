import { html } from 'hono/html';
import { shapeName } from '../../component/shape-names.js';
import { counted } from '../../lib/counted.js';
import type { Description } from '../../registry/description.js';
import { address, authorName } from '../fragments.js';
import { hostOf, type Markup, renderPage } from '../page.js';
import { sampleMark } from '../samples.js';
import { type NodeView, rootPath, whyPath } from '../view.js';
import { tryForm } from './try-form.js';
import { usage } from './usage.js';
import { namesakeSection, versionSection } from './version-sections.js';
import type { VersionGroup } from './versions.js';

export interface ComponentView {
  readonly node: NodeView;
  /** Every description of the component, beginning with the one that is served. */
  readonly statements: readonly [Description, ...Description[]];
  /** The same component's versions, this one included, the newest first. */
  readonly versions: readonly Description[];
  /** Other components of the same name. */
  readonly namesakes: readonly VersionGroup[];
  /** URL of data to try it with, where the node knows some: its samples come with data. */
  readonly entry?: string | undefined;
}

/** The page of one component. */
export function componentPage(view: ComponentView): string {
  const { node, statements, versions, namesakes, entry = '' } = view;
  const [served] = statements;
  const { label, version, latest, description, uri } = served.metadata;
  const main = html`<article class="component">
<h1><bdi>${label}</bdi>${version ? html` <span class="version">${version}</span>` : ''}${latest ? html` <span class="latest">latest</span>` : ''}${sampleMark(served.source)}</h1>
${description ? html`<p class="lead">${description}</p>` : ''}
${facts(served, node.baseUrl)}
<section aria-labelledby="try"><h2 id="try">Try it</h2>${tryForm(node, uri, entry)}
<p class="hint">It runs in a sandbox: it sees the data that you name, and nothing of this node, of your other pages or of you.</p></section>
${usage(served.metadata, node.baseUrl)}
${versionSection(versions, uri, node)}
${namesakeSection(namesakes, node)}
${sourcesSection(statements)}
${forms(uri, node)}
<p class="hint"><a href="${whyPath(node.baseUrl, uri)}">Why is this description served?</a></p>
</article>`;
  return renderPage({ node, part: 'components', title: `${label} – ${hostOf(node.baseUrl)}`, main });
}

/** The page for a uri that no component has. */
export function noComponentPage(node: NodeView, uri: string): string {
  const main = html`<h1>No such component</h1>
<p class="lead">No component with the uri <code>${uri}</code> is known here. <a href="${whyPath(node.baseUrl, uri)}">Why?</a></p>
<p><a href="${rootPath(node.baseUrl)}/">Look for another one</a></p>`;
  return renderPage({ node, part: 'components', title: `No such component – ${hostOf(node.baseUrl)}`, main });
}

function facts({ metadata }: Description, baseUrl: string): Markup {
  const { uri, author, tag, shapes } = metadata;
  const search = (name: string, value: string, text: string) =>
    html`<a href="${rootPath(baseUrl)}/?${name}=${encodeURIComponent(value)}">${text}</a>`;
  const shape = (iri: string) =>
    html`<li>${search('shapes', iri, shapeName(iri))} <small>${iri}</small></li>`;
  const by = (one: string) =>
    html`<li>${search('author', one, authorName(one))}${authorName(one) === one ? '' : html` <small>${address(one)}</small>`}</li>`;
  return html`<dl class="facts">
${shapes.length > 0 ? html`<div><dt>Renders</dt><dd><ul>${shapes.map(shape)}</ul></dd></div>` : ''}
${author.length > 0 ? html`<div><dt>${author.length > 1 ? 'Authors' : 'Author'}</dt><dd><ul>${author.map(by)}</ul></dd></div>` : ''}
${tag.length > 0 ? html`<div><dt>Tags</dt><dd>${tag.map((one) => html`<span class="tag">${search('tag', one, one)}</span> `)}</dd></div>` : ''}
<div><dt>Module</dt><dd>${address(uri)}</dd></div>
</dl>`;
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

/** The same in other forms, for people who follow links and for programs. */
function forms(uri: string, { baseUrl }: NodeView): Markup {
  const link = (format: string, name: string) => {
    const parameters = new URLSearchParams({ uri, format });
    return html`<a href="${rootPath(baseUrl)}/component?${parameters}">${name}</a> `;
  };
  return html`<p class="forms">The same as ${link('json', 'JSON')}${link('jsonld', 'JSON-LD')}${link('ttl', 'Turtle')}</p>`;
}
