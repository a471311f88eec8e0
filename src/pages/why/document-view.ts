import { html } from 'hono/html';
import type { KnownDocument } from '../../explain/document-receipt.js';
import { componentPath, documentPath, rootPath } from '../../http/paths.js';
import { counted } from '../../lib/counted.js';
import { withoutStop } from '../../lib/sentence.js';
import { error } from '../../publish/finding.js';
import { FindingList } from '../publish/view.js';
import { hintForm } from '../shell/forms.js';
import { address, time } from '../shell/fragments.js';
import { type Markup, renderPage } from '../shell/page.js';
import type { NodeView } from '../shell/view.js';
import type { Received } from './received.js';

interface DocumentView {
  readonly node: NodeView;
  readonly document: KnownDocument;
  readonly received: readonly Received[];
  /** Has the visitor just had it read again? */
  readonly isAsked: boolean;
}

/** The page at `/why?document=`: the receipt of an author, what this node has made of a document and when. */
export function documentPage(view: DocumentView): string {
  const { node, document, received, isAsked } = view;
  const { url, record } = document;
  const invalid = record.invalid ?? [];
  if (record.readAt === undefined && record.components === 0 && record.error !== undefined)
    return neverReadPage(view, record.error);
  const main = html`<h1>What this node has read</h1>
<p class="lead">${address(url)}</p>
${again(url, node, isAsked)}
<div id="read" data-live>
${receipt(document, node)}
${record.error === undefined ? '' : html`<p class="alert">It could not be read the last time: ${withoutStop(record.error)}. What it said before stays as it is.</p>`}
<section aria-labelledby="described"><h2 id="described">It describes ${counted(record.components, 'component')}</h2>
${received.map((one) => description(one, node))}
${record.components > received.length ? html`<p class="hint">These are ${received.length} of them.</p>` : ''}</section>
${
  invalid.length === 0
    ? ''
    : html`<section aria-labelledby="invalid"><h2 id="invalid">Not taken up</h2>
${invalid.map(({ subject, reasons }) => html`<h3>${subject}</h3>${FindingList({ findings: reasons.map((detail) => error('brokenRule', { detail })) })}`)}</section>`
}
</div>
${checkForm(url, node)}`;
  return renderPage({ node, part: 'components', title: 'A document that was read', main });
}

/** The page for a document that could not be read even once. */
function neverReadPage({ node, document, isAsked }: DocumentView, error: string): string {
  const { url, source, polled } = document;
  const main = html`<h1>This node could not read it</h1>
<p class="lead">${address(url)}</p>
${again(url, node, isAsked)}
<div id="read" data-live><p class="alert" role="alert">${withoutStop(error)}.</p>
<dl class="facts">
${sourceFact(source, node)}
<div><dt>Looked at</dt><dd>${time(polled.lastSuccess)}</dd></div>
<div><dt>Again</dt><dd>${time(polled.nextAttempt)}</dd></div>
</dl></div>
${checkForm(url, node)}`;
  return renderPage({
    node,
    part: 'components',
    title: 'A document that could not be read',
    main,
  });
}

function sourceFact(source: KnownDocument['source'], { baseUrl }: NodeView): Markup {
  const where =
    source.kind === 'pod'
      ? html`<a href="${documentPath(baseUrl, source.url)}">${source.url}</a>`
      : address(source.url);
  return html`<div><dt>${source.kind === 'peer' ? 'Passed on by' : 'Source'}</dt><dd>${where}</dd></div>`;
}

/** When was it read, in which form, and when is it looked at again? */
function receipt({ source, record, polled }: KnownDocument, node: NodeView): Markup {
  const { readAt, modified, lastModified, etag } = record;
  const form = [
    ...(modified ? [html`changed ${modified} (its container says so)`] : []),
    ...(lastModified ? [html`Last-Modified ${lastModified}`] : []),
    ...(etag ? [html`ETag <code>${etag}</code>`] : []),
  ];
  return html`<dl class="facts">
${sourceFact(source, node)}
<div><dt>Read</dt><dd>${time(readAt)}</dd></div>
${form.length === 0 ? '' : html`<div><dt>In the form</dt><dd><ul>${form.map((line) => html`<li>${line}</li>`)}</ul></dd></div>`}
<div><dt>Looked at</dt><dd>${time(polled.lastSuccess)}</dd></div>
<div><dt>Again</dt><dd>${time(polled.nextAttempt)}</dd></div>
</dl>`;
}

function description(
  { uri, label, version, since, served, findings }: Received,
  { baseUrl }: NodeView,
): Markup {
  return html`<h3><a href="${componentPath(baseUrl, uri)}"><bdi>${label}</bdi></a>${version ? html` <span class="version">${version}</span>` : ''}</h3>
<p class="by"><span>in this form since ${time(since)}</span><span>${served ? 'served' : html`not served: <a href="${componentPath(baseUrl, uri)}#sources">another description</a> is`}</span></p>
${FindingList({ findings })}`;
}

export function checkForm(url: string, { baseUrl }: NodeView): Markup {
  return html`<form class="again" action="${rootPath(baseUrl)}/publish" method="post"><input type="hidden" name="url" value="${url}">
<button class="second">Check it as it is now</button> <span class="hint">with the modules that it names</span></form>`;
}

/** When a source was read, and when that is due again; ms since the Unix epoch. */
interface Polled {
  readonly lastSuccess?: number | undefined;
  readonly nextAttempt?: number | undefined;
}

export function polledWords({ lastSuccess, nextAttempt }: Polled): Markup {
  const read = lastSuccess === undefined ? '' : html`<span>read ${time(lastSuccess)}</span>`;
  return html`${read}${nextAttempt === undefined ? '' : html`<span>again ${time(nextAttempt)}</span>`}`;
}

/** The button that has it read again, and after that what becomes of it. `isAsked`: it has been pressed. */
export function again(url: string, { baseUrl }: NodeView, isAsked: boolean): Markup {
  const said = html`<p class="hint" role="status">This node was asked to read it again, and does so within seconds if nobody has asked
within the last minute. This page follows by itself.</p>`;
  return html`${isAsked ? said : ''}${hintForm(url, baseUrl)}`;
}
