import { html } from 'hono/html';
import { canBeShown } from '../../component/capability.js';
import { shapeName } from '../../component/shape-names.js';
import type { Match } from '../../core/match.js';
import type { Missing } from '../../core/match-fit.js';
import { dataTableUri } from '../../http/components/data-table.js';
import type { MatchedGroup } from '../../http/matching/find-matches.js';
import type { ModuleLook } from '../../http/matching/module-looks.js';
import { componentPath, rootPath, trialPath } from '../../http/paths.js';
import { counted } from '../../lib/counted.js';
import { excerpt } from '../../lib/excerpt.js';
import { framePath } from '../component/trial-section.js';
import { dataForm } from '../home/data-form.js';
import { ENTRIES, LABEL_LENGTH } from '../home/results-view.js';
import { needsScript } from '../shell/fragments.js';
import { moduleWords } from '../shell/module-words.js';
import { type Markup, renderPage } from '../shell/page.js';
import { originBadge } from '../shell/samples.js';
import type { NodeView } from '../shell/view.js';

export interface DataView {
  readonly node: NodeView;
  /** URL of the visitor's data, `''` when none has been named yet. */
  readonly url: string;
  /** Is anything known of it? */
  readonly isRead: boolean;
  readonly shapes: readonly string[];
  /** What the visitor called its shape, where that is neither an IRI nor a known prefixed name. */
  readonly unknown: string | undefined;
  /** The components that fit it, the best first, and the table of this node where no other shows anything. */
  readonly matches: readonly Match<MatchedGroup>[];
  /** What is known of the modules of these, each at the same index. */
  readonly looks: readonly (ModuleLook | undefined)[];
}

/** Components that render the data on the page itself; as many more stand by, for those that fail. */
const LIVE = 6;

/** The page at `/data`: which components render the visitor's data. The visitor's browser reads it, never the node. */
export function dataPage(view: DataView): string {
  const { node, url, unknown } = view;
  const isRead = view.isRead || unknown !== undefined;
  const main = html`<h1>What renders your data?</h1>
${needsScript(`Your browser reads your data, and needs JavaScript for that. Without it, ${url === '' ? 'name its address, and then ' : ''}say yourself what it is.`)}
${dataForm(node, 'Where it is', url)}
<p role="status" id="progress" hidden></p>
${url === '' ? '' : isRead ? answer(view) : reading(view)}`;
  const hasResults = url !== '' && view.isRead;
  return renderPage({
    node,
    part: 'components',
    title: 'What renders your data?',
    main,
    scripts: ['data.js'],
    hasResults,
  });
}

/** Until the script has read the data. It then asks for this page again, with the shapes. */
function reading(view: DataView): Markup {
  return html`<section id="reading" data-url="${view.url}">
${shapesForm(view)}
</section>`;
}

function shapesForm({ node, url, shapes }: DataView): Markup {
  return html`<details${shapes.length === 0 ? html` open` : ''}><summary>${shapes.length === 0 ? 'Say yourself what it is' : 'Is it something else?'}</summary>
<form class="question" action="${rootPath(node.baseUrl)}/data" method="get">
<input type="hidden" name="url" value="${url}">
<label for="shapes">Its shape</label>
<div><input id="shapes" name="shapes" type="text" required value="" placeholder="foaf:Person" spellcheck="false" autocomplete="off"><button>Show</button></div>
</form></details>`;
}

function answer(view: DataView): Markup {
  const { node, shapes, unknown, matches } = view;
  const root = rootPath(node.baseUrl);
  if (!view.isRead) return notUnderstood(view, unknown ?? '');
  const chips = shapes.map(
    (shape) =>
      html`<li><a class="chip" href="${root}/?shapes=${encodeURIComponent(shape)}" title="${shape}">${shapeName(shape)}</a></li>`,
  );
  const renders = matches.filter((match) => !isOwn(match, node)).length;
  const title =
    renders === 0
      ? 'No component here renders it'
      : `${counted(renders, 'component')} render${renders === 1 ? 's' : ''} it`;
  return html`<section id="found" aria-labelledby="count"><h2 id="count" tabindex="-1">${title}</h2>
${chips.length > 0 ? html`<div class="chips"><span>It is</span><ul class="chips">${chips}</ul></div>` : ''}
<p class="hint">Of your data this node is told the names of classes and properties, and never a value.</p>
${renders === 0 ? nothing(root) : ''}
${matches.length === 0 ? '' : html`<ol class="components">${matches.map((match, rank) => entry(match, rank, view))}</ol>`}
${renders === ENTRIES ? html`<p class="hint">These fit best. The shapes above lead to all components that render them.</p>` : ''}
${shapesForm(view)}</section>`;
}

function entry(match: Match<MatchedGroup>, rank: number, view: DataView): Markup {
  const { candidate, because, missing } = match;
  const { head } = candidate.group;
  const { uri, label, version, description, capability } = head.metadata;
  const { node, url, looks } = view;
  const look = looks[rank];
  const isTried = (rank < 2 * LIVE && look?.state !== 'dead') || isOwn(match, node);
  const later = rank < LIVE || isOwn(match, node) ? '' : html` data-later`;
  const large = trialPath(node.baseUrl, uri, url);
  const name = html`<span class="unseen"> ${label}</span>`;
  const trial = html`<a class="button second" href="${large}">Open large${name}</a> <a class="button second" href="${large}#use">Use this one${name}</a>`;
  return html`<li class="match">
<div><h3><a href="${componentPath(node.baseUrl, uri)}"><bdi>${excerpt(label, LABEL_LENGTH)}</bdi></a>${version ? html` <span class="version">${version}</span>` : ''}${originBadge(head)}</h3>
${description ? html`<p>${excerpt(description)}</p>` : ''}
<ul class="reasons">${because.map(({ text }) => html`<li>${text}</li>`)}${notShown(missing)}</ul>${look ? html`<p class="by"><span>${moduleWords(look)}</span></p>` : ''}</div>
<div>${trial}</div>
${isTried && canBeShown(capability) ? html`<div class="live" data-frame="${framePath(node, uri, url)}" data-title="${label}, with your data"${later}></div>` : ''}
</li>`;
}

/** Is it the table that every node has? It is shown in any case, because the components before it may fail. */
function isOwn({ candidate: { metadata } }: Match<MatchedGroup>, { baseUrl }: NodeView): boolean {
  return metadata.uri === dataTableUri(baseUrl);
}

/** What the data has and the component does not say that it shows. */
function notShown({ types, predicates }: Missing): Markup | '' {
  const names = [...types, ...predicates].map(shapeName);
  if (names.length === 0) return '';
  const more = names.length > 3 ? ` and ${names.length - 3} more` : '';
  return html`<li>says nothing of ${names.slice(0, 3).join(', ')}${more}</li>`;
}

function notUnderstood(view: DataView, name: string): Markup {
  const search = `${rootPath(view.node.baseUrl)}/?${new URLSearchParams({ q: name })}`;
  return html`<p class="alert" role="alert">${name} is neither an IRI nor a prefixed name that is known here.
<a href="${search}">Components with this word</a></p>${shapesForm(view)}`;
}

function nothing(root: string): Markup {
  return html`<p>Nobody has described one yet. <a href="${root}/">These components</a> are here; and if you
<a href="${root}/publish">write a component</a>, you can be the first. If there should be one: <a href="${root}/why">why is it not here?</a></p>`;
}
