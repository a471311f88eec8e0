import { type RdfDocument, readRdf } from '../../component/rdf/rdf-parse.js';
import type { Described } from '../../component/reading/described.js';
import { Descriptions } from '../../component/reading/descriptions.js';
import { describedInPortions, firstOf, joined } from '../../component/reading/document-tasks.js';
import { createVocabulary } from '../../component/vocabulary.js';
import type { Undecoded } from '../../lib/pool/handed-text.js';
import type { Parsing, Task } from '../../lib/pool/task.js';
import { portions } from '../../lib/portions.js';
import { ContainerReader, type Listing, type Member, maybeContainer } from './container.js';

/** What a body of a pod turns out to be. */
export type PodContent =
  | { readonly kind: 'container'; readonly listing: Listing }
  | { readonly kind: 'document'; readonly described: Described };

interface PodBody extends RdfDocument {
  /** Is it called a container by a header? */
  readonly container: boolean;
  /** Members that are read at most. */
  readonly maxMembers: number;
  /** Components that are wanted of a document at most. */
  readonly most: number;
}

type Portion = { readonly listing: Listing } | { readonly described: Described };

/** Reads a body that may be a container's or a document's. */
export const podContentTask: Task<PodBody, Portion> = {
  module: 'sync/pod/pod-content.js',
  name: 'podContentTask',
  async *run(body) {
    const container = new ContainerReader(body.baseIri, body.maxMembers);
    const descriptions = new Descriptions(createVocabulary(body.namespace), undefined, body.text);
    const looksLikeContainer = maybeContainer(body);
    await readRdf(body, (quad) => {
      descriptions.add(quad);
      if (looksLikeContainer) container.add(quad);
    });
    if (body.container || container.isContainer) yield* listingInPortions(container.read());
    else {
      const described = firstOf(descriptions.read(), body.most);
      for (const portion of describedInPortions(described)) yield { described: portion };
    }
  },
};

/** The first portion says what the body is, even of an empty container. */
function* listingInPortions({ documents, containers, others, refused }: Listing): Generator<Portion> {
  yield { listing: { ...NOTHING, others, refused } };
  for (const portion of inPortions(documents)) yield { listing: { ...NOTHING, documents: portion } };
  for (const portion of inPortions(containers)) yield { listing: { ...NOTHING, containers: portion } };
}

const NOTHING: Listing = { documents: [], containers: [], others: [], refused: [] };

const inPortions = (members: readonly Member[]) => portions(members, ({ url }) => url.length);

/**
 * What is in a body of a pod: a container's listing, or what a document describes.
 * @throws MalformedInput
 */
export async function podContent(
  body: Undecoded<PodBody>,
  { pool, ...options }: Parsing,
): Promise<PodContent> {
  const pieces = pool.run(podContentTask, body, { ...options, size: body.text.length });
  const listings: Listing[] = [];
  const described = await joined(
    (async function* () {
      for await (const piece of pieces) {
        if ('listing' in piece) listings.push(piece.listing);
        else yield piece.described;
      }
    })(),
  );
  if (listings.length === 0) return { kind: 'document', described };
  const all = (part: 'documents' | 'containers' | 'others') => listings.flatMap((listing) => listing[part]);
  const [documents, containers, others] = [all('documents'), all('containers'), all('others')];
  const refused = listings.flatMap((listing) => listing.refused);
  return { kind: 'container', listing: { documents, containers, others, refused } };
}
