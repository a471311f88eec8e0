import type { Catalog } from '../../catalog/catalog.js';
import { type Description, withMetadata } from '../../catalog/description.js';
import type { KnownDocument } from '../../explain/document-receipt.js';
import type { Breather } from '../../lib/pace.js';
import { metadataFindings } from '../../publish/metadata-rules.js';

/** Components of a document that a receipt names at most. */
const MOST = 200;

/** What is told of a component that a document describes, as this node has read it. */
export function brief({ metadata: { uri, label, version }, since, isShadowed }: Description) {
  return { uri, label, version, since, served: isShadowed !== true };
}

/** The same, with what its author might mend. */
export function inFull(one: Description) {
  return { ...brief(one), findings: metadataFindings(one.metadata) };
}

export type Received = ReturnType<typeof inFull>;

/** What a document describes, as far as it is told of. Gives way: to look through a large component takes some 50 ms. */
export async function receivedFrom<T>(
  { source, name }: KnownDocument,
  tell: (one: Description) => T,
  catalog: Catalog,
  breathe: Breather,
): Promise<T[]> {
  const told: T[] = [];
  const page = await catalog.page({}, { document: { source, url: name }, limit: MOST });
  for await (const some of page.descriptions())
    for (const one of some) {
      // With its metadata at hand: they are parsed each time that they are asked for.
      told.push(tell({ ...withMetadata(one), ...(one.isShadowed && { isShadowed: true }) }));
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
