import { html } from 'hono/html';
import type { Source } from '../../component/source.js';
import { REFUSAL_REASONS } from '../../core/take.js';
import { REFUSAL_ADVICE } from '../../explain/refusal.js';
import type { UnreadSource, Why, WhySource, WhyStatement } from '../../explain/why.js';
import { componentPath, rootPath } from '../../http/paths.js';
import { counted } from '../../lib/counted.js';
import { withoutTrailingSlashes } from '../../lib/trailing-slashes.js';
import { hintForm } from '../shell/forms.js';
import { address, sourceAtLength, time } from '../shell/fragments.js';
import { type Markup, pageAround, renderPage } from '../shell/page.js';
import { stateOfSource } from '../shell/source-look.js';
import type { NodeView } from '../shell/view.js';

/** The page at `/why`: who describes a component, who won, and what keeps others from being served. In many short pieces. */
export function* whyPage(node: NodeView, why: Why): Generator<string> {
  const { before, after } = pageAround({ node, part: 'components', title: 'Why' });
  yield before;
  for (const piece of mainPieces(node, why)) yield String(piece);
  yield after;
}

function* mainPieces(node: NodeView, why: Why): Generator<Markup> {
  yield html`<h1>Why, and why not</h1>
${form(node, why.uri)}
<p class="lead">${conclusion(why, node.baseUrl)}</p>
${why.source ? html`${asked(why.source)}${hintForm(why.uri, node.baseUrl)}` : ''}
`;
  yield* section('described', 'Described by', why.statements, statementRow);
  yield* section('invalid', 'Descriptions that break a rule', why.invalid, invalidRow);
  yield* section('removed', 'Withdrawn', why.removed, removedRow);
  yield* section('refused', 'Addresses that are not read', why.refused, refusedRow);
  yield elsewhere(why, node.baseUrl);
  yield* section('unread', 'Sources of which not everything is known', why.unread, unreadRow);
  yield html`<p class="hint">For programs: the same address with <code>Accept: application/json</code>. All sources: <a href="${rootPath(node.baseUrl)}/network">network</a></p>`;
}

/** The page before anything has been asked. */
export function whyForm(node: NodeView): string {
  const main = html`<h1>Why, and why not</h1>
<p class="lead">Says for the uri of a component who describes it here, who won, and what keeps others from being served; and for a
document when this node has read it, and which components it found in it.</p>
${form(node, '')}${documentForm(node)}`;
  return renderPage({ node, part: 'components', title: 'Why', main });
}

function form({ baseUrl }: NodeView, uri: string): Markup {
  return html`<form class="question" action="${rootPath(baseUrl)}/why" method="get">
<label for="uri">Uri of the component</label>
<div><input id="uri" name="uri" required value="${uri}" placeholder="https://…" spellcheck="false"><button>Ask</button></div>
</form>`;
}

/** The form that asks what became of a document. */
export function documentForm({ baseUrl }: NodeView): Markup {
  return html`<form class="question" action="${rootPath(baseUrl)}/why" method="get">
<label for="document">URL of a document that describes components</label>
<div><input id="document" name="document" type="url" required placeholder="https://…" autocomplete="url" spellcheck="false"><button>Ask</button></div>
</form>`;
}

/** What became of a source or a document that was asked for itself. */
function asked(source: WhySource): Markup {
  const { configured, components, documents, state } = source;
  const origin = configured ? 'in the configuration' : 'told of by peers';
  return html`<section aria-labelledby="asked"><h2 id="asked">The source</h2><ul class="rows"><li>
<strong>${sourceAtLength(source)}</strong> <span class="state ${state}">${state}</span>
<small>${origin}; ${counted(components, 'component')} in ${counted(documents, 'document')}</small>
${fares(source)}</li></ul></section>`;
}

/** Why a source could not be read, and when that is tried again. */
function fares({ error, notice, lastSuccess, nextAttempt }: Omit<UnreadSource, 'documents'>): Markup {
  return html`<small>${[error, notice].filter(Boolean).join(' ')}</small>
${pollWords(lastSuccess, nextAttempt)}`;
}

/** When a source was read, and when that is due again; ms since the Unix epoch. */
function pollWords(last: number | undefined, next: number | undefined): Markup {
  const read = last === undefined ? 'not read yet' : html`last read ${time(last)}`;
  return html`<small>${read}${next === undefined ? '' : html`, again ${time(next)}`}</small>`;
}

/** Nobody here knows what is described at addresses that are not read. */
function elsewhere({ elsewhere: counts = {} }: Why, baseUrl: string): Markup {
  const rows = REFUSAL_REASONS.flatMap((reason) => {
    const count = counts[reason] ?? 0;
    return count === 0
      ? []
      : [html`<li>${counted(count, 'address', 'addresses')}: ${REFUSAL_ADVICE[reason]}</li>`];
  });
  if (rows.length === 0) return html``;
  return html`<section aria-labelledby="elsewhere"><h2 id="elsewhere">It may be described where this node does not read</h2>
<ul class="rows">${rows}</ul><p class="hint"><a href="${rootPath(baseUrl)}/network#refused">What is refused</a></p></section>`;
}

function conclusion(
  { uri, source, statements, invalid, removed, refused, unread }: Why,
  baseUrl: string,
): Markup {
  const [served] = statements;
  if (served) {
    return html`<a href="${componentPath(baseUrl, uri)}">It is served</a>: ${describer(served.source)} describes it.`;
  }
  if (invalid.length > 0) return html`It is not served: what describes it breaks a rule.`;
  if (removed.length > 0 && refused.length > 0)
    return html`It is not served: it was, and where it was described is not read any more.`;
  if (refused.length > 0) return html`It is not served: where it may be described is not read.`;
  if (removed.length > 0) return html`It is not served: it was, and has been withdrawn.`;
  if (source && withoutTrailingSlashes(source.url) === withoutTrailingSlashes(uri))
    return html`It is a source that this node reads. The uri of a component says why that is served, or not.`;
  if (unread.length > 0) {
    return html`It is not served: nothing that could be read describes it. Not everything could be read.`;
  }
  return html`It is not served: nothing that this node reads describes it.`;
}

function* section<Row>(
  id: string,
  title: string,
  rows: readonly Row[],
  rowOf: (row: Row) => Markup,
): Generator<Markup> {
  if (rows.length === 0) return;
  yield html`<section aria-labelledby="${id}"><h2 id="${id}">${title}</h2><ul class="rows">`;
  for (const row of rows) yield html`<li>${rowOf(row)}</li>`;
  yield html`</ul></section>
`;
}

function statementRow({ source, document, since, lastSeen, nextPoll, isServed, rule }: WhyStatement): Markup {
  const read = lastSeen === undefined ? '' : pollWords(lastSeen, nextPoll);
  return html`<strong>${sourceAtLength(source)}</strong>
<small>document ${address(document)}, said so since ${time(since)}</small>${read}<small>${isServed ? rule : `not served: ${rule}`}</small>`;
}

function invalidRow({ source, document, reasons }: Why['invalid'][number]): Markup {
  return html`<strong>${sourceAtLength(source)}</strong>
<small>document ${address(document)}: ${reasons.join('; ')}</small>`;
}

function removedRow({ source, document, at }: Why['removed'][number]): Markup {
  return html`<strong>${sourceAtLength(source)}</strong>
<small>document ${address(document)}, found gone ${time(at)}</small>`;
}

function refusedRow({ url, via, reason }: Why['refused'][number]): Markup {
  return html`<strong>${address(url)}</strong>
<small>told by ${via}; ${REFUSAL_ADVICE[reason]}</small>`;
}

function unreadRow(source: UnreadSource): Markup {
  const { state, documents } = source;
  const faring = { state, invalid: [], failing: documents };
  return html`<strong>${sourceAtLength(source)}</strong> ${stateOfSource(faring)}
${fares(source)}
${documents.map((document) => html`<small>${address(document.url)}: ${document.error}</small>`)}`;
}

/** The subject of a sentence. */
function describer({ kind, url }: Source): Markup {
  if (kind === 'local') return html`this node itself`;
  if (kind === 'sample') return html`a set of components that comes with this node`;
  return html`the ${kind} ${address(url)}`;
}
