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
import { Row, type RowProps } from '../shell/rows.js';
import { stateOfSource } from '../shell/source-look.js';
import type { NodeView } from '../shell/view.js';

/** The page before anything has been asked. */
export function whyForm(node: NodeView): string {
  const main = (
    <>
      <h1>Why, and why not</h1>
      <p class="lead">
        Says for the uri of a component who describes it here, who won, and what keeps others from being
        served; and for a document when this node has read it, and which components it found in it.
      </p>
      {question(node, 'uri', 'Uri of the component')}
      {question(node, 'document', 'URL of a document that describes components')}
    </>
  );
  return renderPage({ node, part: 'components', title: 'Why', main });
}

function question({ baseUrl }: NodeView, name: 'uri' | 'document', label: string, value = ''): Markup {
  const type = name === 'uri' ? 'text' : 'url';
  return html`<form class="question" action="${rootPath(baseUrl)}/why" method="get">
<label for="${name}">${label}</label>
<div><input id="${name}" name="${name}" type="${type}" required value="${value}" placeholder="https://…" spellcheck="false"><button>Ask</button></div>
</form>`;
}

/** How it was asked for something. */
export interface Asked {
  /** As a document, which may be a description and can be checked. */
  readonly isDocument: boolean;
  /** Has the visitor just had it read again? */
  readonly isAgain: boolean;
}

/** What a visitor can have done with a document or a source: it works without scripts. */
export function againForms(url: string, baseUrl: string, { isDocument, isAgain }: Asked): Markup {
  const said = html`<p class="hint" role="status">This node was asked to read it again, and does so within
seconds if nobody has asked within the last minute. This page follows by itself.</p>`;
  const check = html`<form class="again" action="${rootPath(baseUrl)}/publish" method="post"><input type="hidden" name="url" value="${url}">
<button class="second">Check it as it is now</button>
<span class="hint">with the modules that it names</span></form>`;
  return html`${isAgain ? said : ''}${hintForm(url, baseUrl)}${isDocument ? check : ''}`;
}

/**
 * Who describes a component, who won, and what keeps others from being served; of a source, and of a document that was not
 * read, what is known of it. In many short pieces.
 */
export function* whyPage(node: NodeView, why: Why, asked: Asked): Generator<string> {
  const { before, after } = pageAround({ node, part: 'components', title: 'Why' });
  yield before;
  yield String(html`<h1>Why, and why not</h1>
${question(node, 'uri', 'Uri of the component', why.uri)}
${asked.isDocument || why.source ? html`<div id="read" data-live>` : html`<div>`}<p class="lead">${conclusion(why, node.baseUrl, asked)}</p>`);
  for (const [id, title, rows] of listsOf(why, node.baseUrl)) {
    if (rows.length === 0) continue;
    yield `<section aria-labelledby="${id}"><h2 id="${id}">${title}</h2><ul class="rows">`;
    for (const row of rows) yield String(<Row {...row()} />);
    yield '</ul></section>';
  }
  yield String(html`</div>${why.source || asked.isDocument ? againForms(why.uri, node.baseUrl, asked) : ''}
<p class="hint">For programs: the same address with <code>Accept: application/json</code>. All sources:
<a href="${rootPath(node.baseUrl)}/network">network</a></p>`);
  yield after;
}

type List = readonly [id: string, title: string, rows: readonly (() => RowProps)[]];

/** Rows are made one after the other, because there may be thousands of them. */
function listsOf(why: Why, baseUrl: string): List[] {
  const { source, statements, invalid, removed, refused, elsewhere = {}, unread } = why;
  const counts = REFUSAL_REASONS.map((reason) => [reason, elsewhere[reason] ?? 0] as const);
  const lists: List[] = [
    ['asked', 'The source', source ? [() => sourceRow(source)] : []],
    ['described', 'Described by', statements.map((one) => () => statementRow(one))],
    [
      'invalid',
      'Descriptions that break a rule',
      invalid.map(({ source: by, document, reasons }) => () => ({
        head: strong(by),
        notes: [html`document ${address(document)}: ${reasons.join('; ')}`],
      })),
    ],
    [
      'removed',
      'Withdrawn',
      removed.map(({ source: by, document, at }) => () => ({
        head: strong(by),
        notes: [html`document ${address(document)}, found gone ${time(at)}`],
      })),
    ],
    [
      'refused',
      'Addresses that are not read',
      refused.map(({ url, via, reason }) => () => ({
        head: html`<strong>${address(url)}</strong>`,
        notes: [`told by ${via}; ${REFUSAL_ADVICE[reason]}`],
      })),
    ],
    [
      'elsewhere',
      'It may be described where this node does not read',
      counts
        .filter(([, count]) => count > 0)
        .map(([reason, count]) => () => ({
          head: html`<a href="${rootPath(baseUrl)}/network#refused">${counted(count, 'address', 'addresses')}</a>: ${REFUSAL_ADVICE[reason]}`,
        })),
    ],
    ['unread', 'Sources of which not everything is known', unread.map((one) => () => unreadRow(one))],
  ];
  return lists;
}

function strong(source: Source): Markup {
  return html`<strong>${sourceAtLength(source)}</strong>`;
}

/** What became of a source or a document that was asked for itself. */
function sourceRow(source: WhySource): RowProps {
  const { configured, components, documents, state } = source;
  const origin = configured ? 'in the configuration' : 'told of by peers';
  return {
    head: html`${strong(source)} <span class="state ${state}">${state}</span>`,
    notes: [
      `${origin}; ${counted(components, 'component')} in ${counted(documents, 'document')}`,
      ...faring(source),
    ],
  };
}

function statementRow({
  source,
  document,
  since,
  lastSeen,
  nextPoll,
  isServed,
  rule,
}: WhyStatement): RowProps {
  return {
    head: strong(source),
    notes: [
      html`document ${address(document)}, said so since ${time(since)}`,
      lastSeen !== undefined && pollWords(lastSeen, nextPoll),
      isServed ? rule : `not served: ${rule}`,
    ],
  };
}

function unreadRow(source: UnreadSource): RowProps {
  const { state, documents } = source;
  return {
    head: html`${strong(source)} ${stateOfSource({ state, invalid: [], failing: documents })}`,
    notes: [...faring(source), ...documents.map(({ url, error }) => html`${address(url)}: ${error}`)],
  };
}

/** Why a source could not be read, and when that is tried again. */
function faring({ error, notice, lastSuccess, nextAttempt }: Omit<UnreadSource, 'documents'>) {
  return [[error, notice].filter(Boolean).join(' '), pollWords(lastSuccess, nextAttempt)];
}

/** When a source was read, and when that is due again; ms since the Unix epoch. */
export function pollWords(last: number | undefined, next: number | undefined): Markup {
  const read = last === undefined ? 'not read yet' : html`last read ${time(last)}`;
  return html`${read}${next === undefined ? '' : html`, again ${time(next)}`}`;
}

function conclusion(why: Why, baseUrl: string, { isDocument }: Asked): Markup {
  const [served] = why.statements;
  if (!served) return html`${whyNot(why, isDocument)}`;
  return html`<a href="${componentPath(baseUrl, why.uri)}">It is served</a>: ${describer(served.source)}
describes it.`;
}

function whyNot({ uri, source, invalid, removed, refused, unread }: Why, isDocument: boolean): string {
  if (invalid.length > 0) return 'It is not served: what describes it breaks a rule.';
  if (removed.length > 0 && refused.length > 0)
    return 'It is not served: it was, and where it was described is not read any more.';
  if (refused.length > 0) return 'It is not served: where it may be described is not read.';
  if (removed.length > 0) return 'It is not served: it was, and has been withdrawn.';
  if (source && withoutTrailingSlashes(source.url) === withoutTrailingSlashes(uri))
    return 'It is a source that this node reads. The uri of a component says why that is served, or not.';
  if (isDocument && source)
    return 'It is not read: its container does not list the document, or not as Turtle or JSON-LD.';
  if (isDocument) return 'It is not read: no source that this node reads has the document.';
  if (unread.length > 0)
    return 'It is not served: nothing that could be read describes it. Not everything could be read.';
  return 'It is not served: nothing that this node reads describes it.';
}

/** The subject of a sentence. */
function describer({ kind, url }: Source): Markup {
  if (kind === 'local') return html`this node itself`;
  if (kind === 'sample') return html`a set of components that comes with this node`;
  return html`the ${kind} ${address(url)}`;
}
