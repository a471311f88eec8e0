import type { Catalog, PageRequest } from '../../catalog/catalog.js';
import { type Description, withMetadata } from '../../catalog/description.js';
import { graphTaken } from '../../component/provenance.js';
import type { StoredSource } from '../../core/source-record.js';
import type { KnownDocument } from '../../explain/document-receipt.js';
import type { Breather } from '../../lib/pace.js';
import { metadataFindings } from '../../publish/metadata-rules.js';

/** Documents of a container, and components of a document, that a receipt names at most. */
const MOST = 200;

/** A component that a document describes, as this node has read it, and what its author might mend. */
export type Received = ReturnType<typeof inFull>;

/** What a document describes, as far as it is told of. Gives way: to look through a large component takes some 50 ms. */
export function receivedFrom({ source, name }: KnownDocument, catalog: Catalog, breathe: Breather) {
  return each({ source, url: name }, inFull, catalog, breathe);
}

function inFull(one: Description) {
  return { ...brief(one), findings: metadataFindings(one.metadata) };
}

function brief({ metadata: { uri, label, version }, since, isShadowed }: Description) {
  return { uri, label, version, since, served: isShadowed !== true };
}

async function each<T>(
  document: NonNullable<PageRequest['document']>,
  make: (one: Description) => T,
  catalog: Catalog,
  breathe: Breather,
): Promise<T[]> {
  const made: T[] = [];
  const page = await catalog.page({}, { document, limit: MOST });
  for await (const some of page.descriptions())
    for (const one of some) {
      // With its metadata at hand: they are parsed each time that they are asked for.
      made.push(make({ ...withMetadata(one), ...(one.isShadowed && { isShadowed: true }) }));
      const pause = breathe();
      if (pause) await pause;
    }
  return made;
}

/** The documents whose URLs begin with that of a container, whoever has brought them, each with what it describes. */
export async function documentsBelow(
  url: string,
  sources: readonly StoredSource[],
  catalog: Catalog,
  breathe: Breather,
): Promise<object[]> {
  const below: object[] = [];
  for (const { source, documents } of url.endsWith('/') ? sources : [])
    for (const [name, { components, readAt }] of documents) {
      const document = graphTaken(name) ?? name;
      const pause = breathe();
      if (pause) await pause;
      if (!document.startsWith(url) || components === 0 || below.length === MOST) continue;
      const descriptions = await each({ source, url: name }, brief, catalog, breathe);
      below.push({ document, source, readAt, descriptions });
    }
  return below;
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
