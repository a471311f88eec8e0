import type { Catalog } from '../../catalog/catalog.js';
import { graphTaken } from '../../component/provenance.js';
import type { StoredSource } from '../../core/source-record.js';
import { findContainer, findDocument, type KnownDocument } from '../../explain/document-receipt.js';
import { sourceNamed } from '../../explain/why.js';
import { momentsAsText } from '../../http/moments.js';
import type { Reports } from '../../http/operations/reports.js';
import { chooseRepresentation } from '../../lib/http/headers/negotiate.js';
import { jsonAnswer } from '../../lib/http/json-answer.js';
import { Problem } from '../../lib/http/problem.js';
import { parametersOf } from '../../lib/http/request/url-parameters.js';
import type { Handler } from '../../lib/http/resource.js';
import type { Pace } from '../../lib/pace.js';
import { sortedBy } from '../../lib/sort.js';
import { withoutTrailingSlashes } from '../../lib/trailing-slashes.js';
import type { Registry } from '../../registry/registry.js';
import { type PageParts, pageAnswer } from '../shell/page-answer.js';
import { containerPage } from './container-view.js';
import { documentPage } from './document-view.js';
import { emptySourcePage, noDocumentPage } from './no-document-view.js';
import { readPage } from './page-links.js';
import { briefly, type Received, receivedFrom } from './received.js';

export interface DocumentParts extends PageParts {
  readonly catalog: Catalog;
  readonly registry: Registry;
  readonly reports: Reports;
  readonly pace: Pace;
}

/** Documents of a container that a receipt names at most. */
const MOST_DOCUMENTS = 200;
const LONGEST_URL = 2048;

/**
 * `GET /why?document=`: when this node has read a document, and what it made of it; as a page, or as JSON, which is the
 * receipt that publishers wait for.
 */
export function getDocument(parts: DocumentParts): Handler {
  return async ({ req, pace }) => {
    const type = chooseRepresentation(req.header('accept'), ['application/json', 'text/html']);
    const parameters = parametersOf(req.url);
    const url = parameters.get('document')?.trim() ?? '';
    if (url.length > LONGEST_URL)
      throw new Problem(422, `Ask for a document: /why?document=<at most ${LONGEST_URL} characters>`);
    const node = parts.node();
    const isAsked = parameters.has('asked');
    const sources = await parts.registry.sources();
    const document = findDocument(url, sources);
    const container = document ? undefined : findContainer(url, sources);
    if (document) {
      const { name, source } = document;
      const received = await receivedFrom({ source, url: name }, parts.catalog, pace());
      if (type === 'text/html') return pageAnswer(documentPage({ node, document, received, isAsked }));
      return jsonAnswer(receiptOf(document, received), { vary: 'Accept' }, momentsAsText);
    }
    const source = sourceNamed(url, await parts.reports.status());
    const isItself = source && withoutTrailingSlashes(source.url) === withoutTrailingSlashes(url);
    if (type !== 'text/html') {
      const below = url.endsWith('/')
        ? await documentsBelow(url, sources, { catalog: parts.catalog, pace })
        : [];
      if (below.length === 0 && !isItself)
        throw new Problem(404, 'No source that this node reads has this document');
      const found = { container: url, source: isItself ? source : undefined, documents: below };
      return jsonAnswer(found, { vary: 'Accept' }, momentsAsText);
    }
    if (container) {
      const names = await sortedBy([...container.documents.keys()], (name) => name, pace());
      const listed = { ...container, names, isAsked };
      return pageAnswer(containerPage(node, listed, readPage(parameters)));
    }
    if (isItself) return pageAnswer(emptySourcePage({ node, source, isAsked }));
    return pageAnswer(noDocumentPage({ node, url, source, isAsked }), { status: 404 });
  };
}

/** The documents whose URLs begin with that of a container, whoever has brought them, each with what it describes. */
async function documentsBelow(
  url: string,
  sources: readonly StoredSource[],
  { catalog, pace }: Pick<DocumentParts, 'catalog' | 'pace'>,
) {
  const breathe = pace();
  const below: object[] = [];
  for (const { source, documents } of sources)
    for (const [name, record] of documents) {
      const document = graphTaken(name) ?? name;
      const pause = breathe();
      if (pause) await pause;
      if (!document.startsWith(url) || record.components === 0 || below.length === MOST_DOCUMENTS) continue;
      const descriptions = await briefly({ source, url: name }, catalog, breathe);
      below.push({ document, source, readAt: record.readAt, descriptions });
    }
  return below;
}

/** The receipt for programs. */
function receiptOf({ url, source, record, polled }: KnownDocument, received: readonly Received[]) {
  const { modified, lastModified, etag, invalid = [] } = record;
  return {
    document: url,
    source,
    readAt: record.readAt,
    // What its server said of the form that was read.
    form: { modified, lastModified, etag },
    polled: polled.lastSuccess,
    nextAttempt: polled.nextAttempt,
    error: record.error,
    failingSince: record.failingSince,
    components: record.components,
    omitted: record.omitted,
    descriptions: received,
    invalid,
  };
}
