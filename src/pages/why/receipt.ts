import type { Catalog } from '../../catalog/catalog.js';
import { type Description, withMetadata } from '../../catalog/description.js';
import type { KnownDocument } from '../../explain/document-receipt.js';
import type { Breather } from '../../lib/pace.js';
import { metadataFindings } from '../../publish/metadata-rules.js';

/** Components of a document that a receipt names at most. */
const MOST = 200;

/** A component that a document describes, as this node has read it, and what its author might mend. */
export type Received = ReturnType<typeof inFull>;

/** What a document describes, as far as it is told of. */
export function receivedFrom(document: KnownDocument, catalog: Catalog, breathe: Breather) {
  return each(document, inFull, catalog, breathe);
}

/** The receipt of a container for programs: what each document describes. */
export async function briefly(documents: readonly KnownDocument[], catalog: Catalog, breathe: Breather) {
  const told: object[] = [];
  for (const document of documents) {
    const { url, source, record } = document;
    const descriptions = await each(document, brief, catalog, breathe);
    told.push({ document: url, source, readAt: record.readAt, descriptions });
  }
  return told;
}

/** What a document says of a component, and whether that is served. */
type Said = Description & { readonly served: boolean };

function inFull(one: Said) {
  return { ...brief(one), findings: metadataFindings(one.metadata) };
}

function brief({ metadata: { uri, label, version }, since, served }: Said) {
  return { uri, label, version, since, served };
}

/** Gives way: to look through a large component takes some 50 ms. */
async function each<T>(
  { source, name }: KnownDocument,
  make: (one: Said) => T,
  catalog: Catalog,
  breathe: Breather,
): Promise<T[]> {
  const made: T[] = [];
  for (const one of (await catalog.said(source, name)).slice(0, MOST)) {
    // With its metadata at hand: they are parsed each time that they are asked for.
    const said = withMetadata(one);
    const [first] = await catalog.statements(said.metadata.uri);
    made.push(make({ ...said, served: first === one }));
    const pause = breathe();
    if (pause) await pause;
  }
  return made;
}

/** The receipt for programs. `form`: what its server said of the form that was read. */
export function receiptOf({ url, source, record, polled }: KnownDocument, descriptions: readonly Received[]) {
  const { readAt, modified, lastModified, etag, error, failingSince, invalid = [] } = record;
  return {
    ...{ document: url, source, readAt, form: { modified, lastModified, etag } },
    ...{ polled: polled.lastSuccess, nextAttempt: polled.nextAttempt, error, failingSince },
    ...{ components: record.components, omitted: record.omitted, descriptions, invalid },
  };
}
