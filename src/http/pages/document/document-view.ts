import { html } from 'hono/html';
import type { KnownDocument } from '../../../explain/document-receipt.js';
import { counted } from '../../../lib/counted.js';
import { fault } from '../../../lint/finding.js';
import { metadataFindings } from '../../../lint/metadata-findings.js';
import type { Description } from '../../../registry/description.js';
import { address, time } from '../../../web/fragments.js';
import { hostOf, type Markup, renderPage } from '../../../web/page.js';
import { componentPath, documentPath, type NodeView, rootPath, whyPath } from '../../../web/view.js';
import { findingList } from '../lint/findings-view.js';

/** The page at `/document`: the receipt of an author, what this node has made of a document and when. */
export function documentPage(
  node: NodeView,
  document: KnownDocument,
  received: readonly Description[],
): string {
  const { url, record } = document;
  const invalid = record.invalid ?? [];
  if (record.readAt === undefined && record.components === 0 && record.error !== undefined)
    return neverReadPage(document, record.error, node);
  const main = html`<h1>What this node has read</h1>
<p class="lead">${address(url)}</p>
${receipt(document, node)}
${record.error === undefined ? '' : html`<p class="alert">It could not be read the last time: ${record.error.replace(/\.$/, '')}. What it said before stays as it is.</p>`}
<section aria-labelledby="described"><h2 id="described">It describes ${counted(record.components, 'component')}</h2>
${received.map((one) => description(one, node))}
${record.components > received.length ? html`<p class="hint">These are ${received.length} of them.</p>` : ''}</section>
${
  invalid.length === 0
    ? ''
    : html`<section aria-labelledby="invalid"><h2 id="invalid">Not taken up</h2>
${invalid.map(({ subject, reasons }) => html`<h3>${subject}</h3>${findingList(reasons.map((reason) => fault(reason, 'correct it; until then no node lists this component')))}`)}</section>`
}
${checkForm(url, node)}`;
  return renderPage({ node, part: 'check', title: `${hostOf(node.baseUrl)} has read a document`, main });
}

/** The page for a document that could not be read even once. */
function neverReadPage({ url, source, polled }: KnownDocument, error: string, node: NodeView): string {
  const main = html`<h1>This node could not read it</h1>
<p class="lead">${address(url)}</p>
<p class="alert" role="alert">${error.replace(/\.$/, '')}.</p>
<dl class="facts">
${sourceFact(source, node)}
<div><dt>Looked at</dt><dd>${time(polled.lastSuccess)}</dd></div>
<div><dt>Again</dt><dd>${time(polled.nextAttempt)}</dd></div>
</dl>
${checkForm(url, node)}`;
  return renderPage({
    node,
    part: 'check',
    title: `${hostOf(node.baseUrl)} could not read a document`,
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

function description({ metadata, since, isShadowed }: Description, { baseUrl }: NodeView): Markup {
  const { uri, label, version } = metadata;
  return html`<h3><a href="${componentPath(baseUrl, uri)}"><bdi>${label}</bdi></a>${version ? html` <span class="version">${version}</span>` : ''}</h3>
<p class="by"><span>in this form since ${time(since)}</span><span>${isShadowed ? html`stands back behind <a href="${componentPath(baseUrl, uri)}#sources">another description</a>` : 'served'}</span></p>
${findingList(metadataFindings(metadata))}
<p><a href="${rootPath(baseUrl)}/listed?${new URLSearchParams({ uri })}">Who lists it?</a></p>`;
}

function checkForm(url: string, { baseUrl }: NodeView): Markup {
  return html`<form class="again" action="${rootPath(baseUrl)}/lint" method="post"><input type="hidden" name="url" value="${url}">
<button class="second">Check it as it is now</button> <span class="hint">with the modules that it names</span></form>`;
}

/** The page for a document that no source has. */
export function noDocumentPage(node: NodeView, url: string): string {
  const root = rootPath(node.baseUrl);
  const main = html`<h1>Not read here</h1>
<p class="lead">No source that this node reads has the document <code>${url}</code>.</p>
<p>It may not have been found yet, or its pod is not known here: the <a href="${root}/network">network page</a> names the pods that are.
If it is new, <a href="${root}/docs/authors">a hint</a> has its pod looked at soon. <a href="${whyPath(node.baseUrl, url)}">Why is it not read?</a></p>
${checkForm(url, node)}`;
  return renderPage({ node, part: 'check', title: `Not read here – ${hostOf(node.baseUrl)}`, main });
}
