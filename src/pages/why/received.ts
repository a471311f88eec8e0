import type { Catalog, PageRequest } from '../../catalog/catalog.js';
import { type Description, withMetadata } from '../../catalog/description.js';
import type { Breather } from '../../lib/pace.js';
import type { Finding } from '../../publish/finding.js';
import { metadataFindings } from '../../publish/metadata-rules.js';

/** Components of a document that a receipt names at most. */
const MOST_COMPONENTS = 200;

type Brief = ReturnType<typeof brief>;

/** A component that a document describes, as this node has read it, and what its author might mend. */
export interface Received extends Brief {
  readonly findings: readonly Finding[];
}

type Document = NonNullable<PageRequest['document']>;

/** What a document describes, as far as it is told of. Gives way: to look through a large component takes some 50 ms. */
export function receivedFrom(document: Document, catalog: Catalog, breathe: Breather): Promise<Received[]> {
  const received = (one: Description) => ({ ...brief(one), findings: metadataFindings(one.metadata) });
  return each(document, received, catalog, breathe);
}

/** The same without what might be mended. */
export function briefly(document: Document, catalog: Catalog, breathe: Breather): Promise<Brief[]> {
  return each(document, brief, catalog, breathe);
}

/** What is made of each description, with its metadata at hand: they are parsed each time that they are asked for. */
async function each<T>(
  document: Document,
  make: (one: Description) => T,
  catalog: Catalog,
  breathe: Breather,
): Promise<T[]> {
  const made: T[] = [];
  const page = await catalog.page({}, { document, limit: MOST_COMPONENTS });
  for await (const some of page.descriptions())
    for (const one of some) {
      made.push(make({ ...withMetadata(one), ...(one.isShadowed && { isShadowed: true }) }));
      const pause = breathe();
      if (pause) await pause;
    }
  return made;
}

function brief({ metadata: { uri, label, version }, since, isShadowed }: Description) {
  return { uri, label, version, since, served: isShadowed !== true };
}
