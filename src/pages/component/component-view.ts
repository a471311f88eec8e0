import { html } from 'hono/html';
import type { Description } from '../../catalog/description.js';
import { canBeShown } from '../../component/capability.js';
import { graphTaken } from '../../component/provenance.js';
import { shapeName } from '../../component/shape-names.js';
import { isOfThisNode } from '../../component/source.js';
import type { Facts } from '../../explain/facts.js';
import type { ModuleLook } from '../../http/matching/module-looks.js';
import { documentPath, rootPath, whyPath } from '../../http/paths.js';
import type { VersionGroup } from '../../http/versions/version-groups.js';
import { counted } from '../../lib/counted.js';
import { address, authorName, sourceAtLength, time } from '../shell/fragments.js';
import { deadNotice, moduleWords } from '../shell/module-words.js';
import { type Markup, pageAround, renderPage } from '../shell/page.js';
import { originBadge } from '../shell/samples.js';
import type { NodeView } from '../shell/view.js';
import { capabilityFacts, changedNotice, factSection, pinFacts } from './fact-section.js';
import { exampleSection, trialSection } from './trial-section.js';
import { usage } from './usage.js';
import { namesakeSection, newerNotice, versionSection } from './version-sections.js';

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
  /** URL of data to try it with, where the node knows some: its samples come with data. */
  readonly suggested?: string | undefined;
  /** What is known of its module. */
  readonly look: ModuleLook | undefined;
  /** URL of data that the page shows it with; absent where nobody names any, and the node has none of its shape. */
  readonly example?: string | undefined;
}

/** The page of one component, in pieces: it may have thousands of descriptions. */
export function* componentPage(view: ComponentView): Generator<string> {
  const { node, statements } = view;
  const { label, uri } = statements[0].metadata;
  const { before, after } = pageAround({ node, part: 'components', title: label });
  yield before;
  yield String(componentSections(view));
  for (const piece of sourcesSection(statements, uri, node)) yield String(piece);
  yield `${authorSection(node)}
${forms(uri, node)}
</article>`;
  yield after;
}

function componentSections(view: ComponentView): Markup {
  const { node, statements, versions, namesakes, facts, look, entry } = view;
  const [served] = statements;
  const { label, version, latest, description, uri, capability } = served.metadata;
  const isShown = canBeShown(capability);
  return html`<article class="component">
<h1><bdi>${label}</bdi>${version ? html` <span class="version">${version}</span>` : ''}${latest ? html` <span class="latest">latest</span>` : ''}${originBadge(served)}</h1>
${newerNotice(served, versions, node)}
${description ? html`<p class="lead">${description}</p>` : ''}
${changedNotice(served, node.baseUrl)}${look ? deadNotice(look) : ''}
${entry === '' ? '' : trialSection(node, served, entry)}
${said(served, look, node.baseUrl)}
${entry === '' ? exampleSection(node, served, view) : ''}
${factSection(facts, served)}
${isShown ? usage(served, node.baseUrl, entry === '' ? undefined : entry) : ''}
${versionSection(versions, uri, node)}
${namesakeSection(namesakes, node)}
`;
}

export function noComponentPage(node: NodeView, uri: string): string {
  const main = html`<h1>No such component</h1>
<p class="lead">No component with the uri <code>${uri}</code> is known here. <a href="${whyPath(node.baseUrl, uri)}">Why?</a></p>
<p><a href="${rootPath(node.baseUrl)}/">Look for another one</a></p>`;
  return renderPage({ node, part: 'components', title: 'No such component', main });
}

function said({ metadata, since, pin }: Description, look: ModuleLook | undefined, baseUrl: string): Markup {
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
${capabilityFacts(metadata.capability)}
<div><dt>${canBeShown(metadata.capability) ? 'Module' : 'Application'}</dt><dd>${address(uri)}${look ? html`<br><small>${moduleWords(look)}</small>` : ''}</dd></div>
${pinFacts({ metadata, pin })}
<div><dt>Updated</dt><dd>${time(since)} <small>when this node first saw this description of it</small></dd></div>
</dl>`;
}

function documentLink({ document }: Description, baseUrl: string): Markup {
  const url = graphTaken(document) ?? document;
  return html`<small>document <a href="${documentPath(baseUrl, url)}">${url}</a></small>`;
}

function* sourcesSection(
  statements: readonly Description[],
  uri: string,
  { baseUrl }: NodeView,
): Generator<Markup> {
  const mirrored = 'The node that this one mirrors';
  const row = (statement: Description, index: number) => html`<li>
${sourceAtLength(statement.source, statement.trust === 'own' ? undefined : mirrored)}
${isOfThisNode(statement.source) ? '' : documentLink(statement, baseUrl)}
<small>${index === 0 ? 'this description is served' : 'not served: the first one is'}</small></li>`;
  yield html`<section aria-labelledby="sources"><h2 id="sources">Described by ${counted(statements.length, 'source')}</h2>
<ol class="rows">`;
  for (const [index, statement] of statements.entries()) yield row(statement, index);
  yield html`</ol>
<p class="hint"><a href="${whyPath(baseUrl, uri)}">Why is this description served?</a></p></section>
`;
}

function authorSection({ baseUrl }: NodeView): Markup {
  return html`<section aria-labelledby="author"><h2 id="author">For its author</h2>
<p><a href="${rootPath(baseUrl)}/publish">Edit or withdraw it</a></p></section>`;
}

/** The same in other forms, for people who follow links and for programs. */
function forms(uri: string, { baseUrl }: NodeView): Markup {
  const link = (format: string, name: string) => {
    const parameters = new URLSearchParams({ uri, format });
    return html`<a href="${rootPath(baseUrl)}/component?${parameters}">${name}</a>`;
  };
  return html`<p class="forms">The same as ${link('json', 'JSON')}, ${link('jsonld', 'JSON-LD')} or ${link('ttl', 'Turtle')}</p>`;
}
