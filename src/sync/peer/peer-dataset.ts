import type { InvalidDescription } from '../../component/codec.js';
import type { Metadata } from '../../component/metadata.js';
import { MalformedInput } from '../../lib/faults.js';
import type { Parsing } from '../../lib/pool/task.js';
import type { ListingBody } from './listing-body.js';
import { listingTask, type Row } from './listing-task.js';

/** What one named graph of a peer says. */
export interface PeerGraph {
  /** By uri. */
  readonly components: Map<string, Metadata>;
  readonly invalid: InvalidDescription[];
  /** The graphs that the peer puts before this one, where both describe the same component. */
  readonly behind: Set<string>;
}

/** What a peer lists, by the names that its graphs have there. */
export type PeerDataset = Map<string, PeerGraph>;

/** Descriptions that break a rule are named in the status, so many for each graph. */
const NAMED_INVALID = 100;

/**
 * Reads one page of a peer's listing into the dataset.
 * @param maxComponents of one page
 * @throws MalformedInput for what is no listing, or a longer one
 */
export async function readListing(
  dataset: PeerDataset,
  body: ListingBody,
  maxComponents: number,
  { pool, ...options }: Parsing,
): Promise<void> {
  let components = 0;
  for await (const rows of pool.run(listingTask, body, { ...options, size: body.text.length })) {
    for (const row of rows) {
      take(dataset, row);
      if (row[1] === 'component') components += 1;
    }
    if (components > maxComponents) {
      throw new MalformedInput(`it lists more than ${maxComponents} components`);
    }
  }
}

function take(dataset: PeerDataset, row: Row): void {
  const [name, kind, said] = row;
  const graph: PeerGraph = dataset.get(name) ?? { components: new Map(), invalid: [], behind: new Set() };
  dataset.set(name, graph);
  if (kind === 'component') graph.components.set(said.uri, said);
  else if (kind === 'behind') graph.behind.add(said);
  else if (kind === 'invalid' && graph.invalid.length < NAMED_INVALID) graph.invalid.push(said);
}
