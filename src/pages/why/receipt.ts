import type { Catalog } from '../../catalog/catalog.js';
import { type Description, withMetadata } from '../../catalog/description.js';
import type { Breather } from '../../lib/pace.js';
import { metadataFindings } from '../../publish/metadata-rules.js';
import type { KnownDocument } from './known-document.js';

/** Components of a document that a receipt names at most. */
const MOST = 200;

/** What a document says of a component, and whether that is served. */
type Said = Description & { readonly served: boolean };

/** What is told of a component that a document describes, as this node has read it. */
export function brief({ metadata: { uri, label, version }, since, served }: Said) {
  return { uri, label, version, since, served };
}

/** The same, with what its author might mend. */
export function inFull(one: Said) {
  return { ...brief(one), findings: metadataFindings(one.metadata) };
}

export type Received = ReturnType<typeof inFull>;

/** What a document describes, as far as it is told of. Gives way: to look through a large component takes some 50 ms. */
export async function receivedFrom<T>(
  { source, name }: KnownDocument,
  tell: (one: Said) => T,
  catalog: Catalog,
  breathe: Breather,
): Promise<T[]> {
  const told: T[] = [];
  for (const one of (await catalog.said(source, name)).slice(0, MOST)) {
    // With its metadata at hand: they are parsed each time that they are asked for.
    const said = withMetadata(one);
    const [first] = await catalog.statements(said.metadata.uri);
    told.push(tell({ ...said, served: first === one }));
    await breathe();
  }
  return told;
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
