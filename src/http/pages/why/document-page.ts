import { graphTaken } from '../../../component/provenance.js';
import { findContainer, findDocument, type KnownDocument } from '../../../explain/document-receipt.js';
import { sourceNamed } from '../../../explain/why.js';
import { chooseRepresentation } from '../../../lib/http/headers/negotiate.js';
import { jsonAnswer } from '../../../lib/http/json-answer.js';
import { Problem } from '../../../lib/http/problem.js';
import { parametersOf } from '../../../lib/http/request/url-parameters.js';
import type { Handler } from '../../../lib/http/resource.js';
import type { Breather, Pace } from '../../../lib/pace.js';
import { sortedBy } from '../../../lib/sort.js';
import { withoutTrailingSlashes } from '../../../lib/trailing-slashes.js';
import type { Finding } from '../../../lint/finding.js';
import { metadataFindings } from '../../../lint/metadata-findings.js';
import type { Catalog } from '../../../registry/catalog.js';
import { type Description, withMetadata } from '../../../registry/description.js';
import { descriptionsOf } from '../../../registry/page.js';
import type { Registry } from '../../../registry/registry.js';
import type { StoredSource } from '../../../registry/source-record.js';
import { momentsAsText } from '../../moments.js';
import type { Reports } from '../../operations/reports.js';
import { type PageParts, pageAnswer } from '../../page-answer.js';
import { readPage } from '../finding/search.js';
import { containerPage } from './container-view.js';
import { documentPage } from './document-view.js';
import { emptySourcePage, noDocumentPage } from './no-document-view.js';

export interface DocumentParts extends PageParts {
  readonly catalog: Catalog;
  readonly registry: Registry;
  readonly reports: Reports;
  readonly pace: Pace;
}

/** Components of a document that a receipt names at most. */
const MOST_COMPONENTS = 200;
/** The same of the documents of a container. */
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
      const received = await receivedFrom(document, parts.catalog, pace());
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
      const page = await catalog.page({}, { document: { source, url: name }, limit: MOST_COMPONENTS });
      const descriptions = await each(await descriptionsOf(page), brief, breathe);
      below.push({ document, source, readAt: record.readAt, descriptions });
    }
  return below;
}

/** A component that a document describes, as this node has read it, and what an author might mend. */
export interface Received extends ReturnType<typeof brief> {
  readonly findings: readonly Finding[];
}

/** What the document describes, as far as it is told of. Gives way: to look through a large component takes some 50 ms. */
async function receivedFrom(
  { name, source }: KnownDocument,
  catalog: Catalog,
  breathe: Breather,
): Promise<Received[]> {
  const page = await catalog.page({}, { document: { source, url: name }, limit: MOST_COMPONENTS });
  const received = (one: Description) => ({ ...brief(one), findings: metadataFindings(one.metadata) });
  return each(await descriptionsOf(page), received, breathe);
}

/** What is made of each description, with its metadata at hand and with pauses: engines parse metadata each time that it is asked for. */
async function each<T>(
  descriptions: readonly Description[],
  make: (one: Description) => T,
  breathe: Breather,
): Promise<T[]> {
  const made: T[] = [];
  for (const one of descriptions) {
    made.push(make({ ...withMetadata(one), isShadowed: one.isShadowed }));
    const pause = breathe();
    if (pause) await pause;
  }
  return made;
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

function brief({ metadata: { uri, label, version }, since, isShadowed }: Description) {
  return { uri, label, version, since, served: isShadowed !== true };
}
