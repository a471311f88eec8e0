import type { Metadata } from '../../component/metadata.js';
import type { InvalidDescription } from '../../component/reading/described.js';
import type { Parsing } from '../../lib/pool/task.js';
import { sizeOf } from '../component-size.js';
import type { Amount } from '../sync-source.js';
import type { ListingBody } from './listing-body.js';
import { listingTask, type Row } from './listing-task.js';

/** What one named graph of a peer says. */
export interface PeerGraph {
  /** By uri. */
  readonly components: Map<string, Metadata>;
  /** How many more it describes, for which there was no room. */
  omitted: number;
  readonly invalid: InvalidDescription[];
  /** The graphs that the peer puts before this one, where both describe the same component. */
  readonly behind: Set<string>;
}

/** What a peer lists, by the names that its graphs have there. */
export type PeerDataset = Map<string, PeerGraph>;

/** Descriptions that break a rule are named in the status, so many for each graph. */
const NAMED_INVALID = 100;

/**
 * How much of a peer's listing is held in memory, and kept: beyond that, components are counted only. They come in
 * the order of their uris, so it is always the same ones that are left out.
 */
export class Room {
  #components: number;
  #bytes: number;

  constructor({ components, bytes }: Amount) {
    this.#components = components;
    this.#bytes = bytes;
  }

  /** Takes up room for a component, if there is any. */
  take(component: Metadata): boolean {
    const bytes = sizeOf(component);
    if (this.#components < 1 || this.#bytes < bytes) return false;
    this.#components -= 1;
    this.#bytes -= bytes;
    return true;
  }
}

/** Reads one page of a peer's listing into the dataset. @throws MalformedInput for what is no listing */
export async function readListing(
  dataset: PeerDataset,
  body: ListingBody,
  room: Room,
  { pool, ...options }: Parsing,
): Promise<void> {
  for await (const rows of pool.run(listingTask, body, { ...options, size: body.text.length })) {
    for (const row of rows) take(dataset, row, room);
  }
}

function take(dataset: PeerDataset, [name, kind, said]: Row, room: Room): void {
  const graph: PeerGraph = dataset.get(name) ?? {
    components: new Map(),
    omitted: 0,
    invalid: [],
    behind: new Set(),
  };
  dataset.set(name, graph);
  if (kind === 'component') {
    if (room.take(said)) graph.components.set(said.uri, said);
    else graph.omitted += 1;
  } else if (kind === 'behind') graph.behind.add(said);
  else if (kind === 'invalid' && graph.invalid.length < NAMED_INVALID) graph.invalid.push(said);
}
