import { html } from 'hono/html';
import { graphTaken } from '../../component/provenance.js';
import type { StoredSource } from '../../core/source-record.js';
import type { KnownDocument } from '../../explain/document-receipt.js';
import { componentPath, documentPath } from '../../http/paths.js';
import { counted } from '../../lib/counted.js';
import { withoutStop } from '../../lib/sentence.js';
import { error as fault } from '../../publish/finding.js';
import { FindingList } from '../publish/view.js';
import { address, time } from '../shell/fragments.js';
import { hostOf, type Markup, renderPage } from '../shell/page.js';
import { Row, Section } from '../shell/rows.js';
import { icon, type Look } from '../shell/source-look.js';
import type { NodeView } from '../shell/view.js';
import { pageLinks } from './page-links.js';
import type { Received } from './receipt.js';
import { type Asked, againForms, pollWords } from './view.js';

/** How many documents one page lists. */
const PAGE = 200;

/** The page of a document that this node has read, or has tried to: the receipt of its author. */
export function documentPage(
  node: NodeView,
  document: KnownDocument,
  received: readonly Received[],
  asked: Asked,
): string {
  const { url, record } = document;
  const { components, error, invalid = [], readAt } = record;
  const wasNeverRead = readAt === undefined && components === 0 && error !== undefined;
  const main = (
    <>
      <div id="read" data-live>
        <h1>{wasNeverRead ? 'This node could not read it' : 'What this node has read'}</h1>
        <p class="lead">{address(url)}</p>
        {error !== undefined && (
          <p class="alert" role={wasNeverRead ? 'alert' : undefined}>
            {!wasNeverRead && 'It could not be read the last time: '}
            {withoutStop(error)}.{!wasNeverRead && ' What it said before stays as it is.'}
          </p>
        )}
        {facts(document, node.baseUrl)}
        {!wasNeverRead && (
          <Section id="described" title={`It describes ${counted(components, 'component')}`}>
            {received.map((one) => description(one, node.baseUrl))}
            {components > received.length && <p class="hint">These are {received.length} of them.</p>}
          </Section>
        )}
        {invalid.length > 0 && (
          <Section id="invalid" title="Not taken up">
            {invalid.map(({ subject, reasons }) => [
              <h3>{subject}</h3>,
              <FindingList findings={reasons.map((detail) => fault('brokenRule', { detail }))} />,
            ])}
          </Section>
        )}
      </div>
      {againForms(url, node.baseUrl, asked)}
    </>
  );
  return renderPage({ node, part: 'components', title: 'A document', main });
}

/** When was it read, in which form, and when is it looked at again? */
function facts({ source: { kind, url }, record, polled }: KnownDocument, baseUrl: string): Markup {
  const { readAt, modified, lastModified, etag } = record;
  const form = [
    modified && `changed ${modified} (its container says so)`,
    lastModified && `Last-Modified ${lastModified}`,
    etag && `ETag ${etag}`,
  ].filter(Boolean);
  const read = [
    ['Read', time(readAt)],
    ['In the form', form.map((line) => html`<div>${line}</div>`)],
  ] as const;
  const all = [
    [
      kind === 'peer' ? 'Passed on by' : 'Source',
      kind === 'pod' ? html`<a href="${documentPath(baseUrl, url)}">${url}</a>` : address(url),
    ],
    ...(readAt === undefined ? [] : form.length === 0 ? read.slice(0, 1) : read),
    ['Looked at', time(polled.lastSuccess)],
    ['Again', time(polled.nextAttempt)],
  ] as const;
  return html`<dl class="facts">${all.map(([term, what]) => html`<div><dt>${term}</dt><dd>${what}</dd></div>`)}</dl>`;
}

function description({ uri, label, version, since, served, findings }: Received, baseUrl: string): Markup {
  const path = componentPath(baseUrl, uri);
  return html`<h3><a href="${path}"><bdi>${label}</bdi></a>${version ? html` <span class="version">${version}</span>` : ''}</h3>
<p class="by"><span>in this form since ${time(since)}</span><span>${served ? 'served' : html`not served: <a href="${path}#sources">another description</a> is`}</span></p>
${FindingList({ findings })}`;
}

/** `names`: of all its documents, in the order in which they are listed. */
type Container = Pick<StoredSource, 'source' | 'documents' | 'record'> & {
  readonly names: readonly string[];
};

/** The page of a source with its documents, each with the way to its receipt. */
export function containerPage(node: NodeView, container: Container, page: number, asked: Asked): string {
  const { source, documents, names, record } = container;
  const shown = names.slice((page - 1) * PAGE, page * PAGE);
  const link = (number: number) => `${documentPath(node.baseUrl, source.url)}&page=${number}`;
  const isEmpty = [...documents.values()].every(({ components }) => components === 0);
  const main = (
    <>
      <div id="read" data-live>
        <h1>{counted(names.length, 'document')}</h1>
        <p class="lead">{address(source.url)}</p>
        <p class="by">{pollWords(record.lastSuccess, record.nextAttempt)}</p>
        {isEmpty && <p>None of them describes a component.</p>}
        <ul class="rows">{shown.map((name) => documentRow(name, container, node.baseUrl))}</ul>
      </div>
      {names.length > PAGE && pageLinks({ page, size: PAGE, of: names.length, link })}
      {againForms(source.url, node.baseUrl, asked)}
    </>
  );
  return renderPage({ node, part: 'components', title: `Documents of ${hostOf(source.url)}`, main });
}

function documentRow(name: string, { source, documents }: Container, baseUrl: string): Markup {
  const { components = 0, invalid = [], error } = documents.get(name) ?? {};
  const look: Look = error !== undefined ? 'failing' : invalid.length > 0 ? 'attention' : 'ok';
  const words = `${counted(components, 'component')}${invalid.length > 0 ? `, ${invalid.length} invalid` : ''}`;
  const url = graphTaken(name) ?? name;
  // What all of them begin with stands above them.
  const short = url.startsWith(source.url) && url !== source.url ? url.slice(source.url.length) : url;
  const link = html`<a href="${documentPath(baseUrl, url)}">${short}</a>`;
  const head = html`<span class="${look}">${icon(look)}</span> ${link}`;
  return <Row name={name} head={head} notes={[error === undefined ? words : `${words}: ${error}`]} />;
}
