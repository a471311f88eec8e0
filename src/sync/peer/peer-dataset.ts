import { sizeOf } from '../../component/component-size.js';
import type { Metadata } from '../../component/metadata.js';
import type { InvalidDescription } from '../../component/reading/described.js';
import type { Amount } from '../../core/reading.js';
import type { Undecoded } from '../../lib/pool/handed-text.js';
import type { Parsing } from '../../lib/pool/task.js';
import type { Wrong } from '../wrong.js';
import { listingTask, type Row } from './listing-task.js';
import type { ListingBody } from './quad-listing.js';

/** What one named graph of a peer says. */
export interface PeerGraph {
  /** By uri. */
  readonly components: Map<string, Metadata>;
  /** How many more it describes, for which there was no room. */
  omitted: number;
  /** Bytes of the texts of the first of these. */
  firstOmitted?: number;
  readonly invalid: InvalidDescription[];
  /** How many more of its descriptions are invalid. */
  unnamed: number;
  /** Is it of no use to `judge`, so that nothing of it is held? */
  readonly isUnwanted: boolean;
  /** Why nothing of it is taken, where something in it cannot be read. */
  refused?: string;
}

/** What a peer lists, by the names that its graphs have there. */
export type PeerDataset = Map<string, PeerGraph>;

/** Characters of why nothing of a graph is taken. */
const LONGEST_MESSAGE = 500;

/** Descriptions that break a rule are named in the status, so many for each graph. */
const NAMED_INVALID = 100;

/**
 * How much of a peer's listing is held in memory, and kept, however many pages it has: beyond that, components are
 * counted only. They come in the order of their uris, so it is always the same ones that are left out.
 */
export class ListingLimit {
  #components: number;
  #bytes: number;

  constructor({ components, bytes }: Amount) {
    this.#components = components;
    this.#bytes = bytes;
  }

  /** True, and less is left, when there is room for a component. */
  admitsComponent(component: Metadata): boolean {
    if (this.#components < 1 || !this.admits(sizeOf(component))) return false;
    this.#components -= 1;
    return true;
  }

  /** True, and less is left, when there is room for so many bytes. */
  admits(bytes: number): boolean {
    if (this.#bytes < bytes) return false;
    this.#bytes -= bytes;
    return true;
  }
}

/** What a dataset is read with. */
export interface DatasetParts {
  readonly limit: ListingLimit;
  readonly isWanted: (graph: string) => boolean;
  readonly stumble: (document: string, wrong: Wrong) => void;
}

/**
 * Reads one page of a peer's listing into the dataset.
 * @returns how many descriptions the page holds
 * @throws MalformedInput for what is no listing
 */
export async function readListing(
  dataset: PeerDataset,
  body: Undecoded<ListingBody>,
  parts: DatasetParts,
  { pool, ...options }: Parsing,
): Promise<number> {
  let descriptions = 0;
  for await (const rows of pool.run(listingTask, body, { ...options, size: body.text.length })) {
    for (const row of rows) {
      addRow(dataset, row, parts);
      if (row[1] === 'stumble') parts.stumble(row[0], row[2]);
      if (row[1] === 'component' || row[1] === 'invalid') descriptions += 1;
    }
  }
  return descriptions;
}

function addRow(dataset: PeerDataset, [name, kind, said]: Row, { limit, isWanted }: DatasetParts): void {
  const graph = dataset.get(name) ?? emptyGraph(!isWanted(name));
  dataset.set(name, graph);
  if (graph.isUnwanted) return;
  if (kind === 'component') {
    if (limit.admitsComponent(said)) graph.components.set(said.uri, said);
    else {
      graph.omitted += 1;
      graph.firstOmitted ??= sizeOf(said);
    }
  } else if (kind === 'invalid') {
    if (graph.invalid.length < NAMED_INVALID && limit.admits(bytesOf(said))) graph.invalid.push(said);
    else graph.unnamed += 1;
  } else if (kind === 'refused') graph.refused ??= said.slice(0, LONGEST_MESSAGE);
}

function emptyGraph(isUnwanted: boolean): PeerGraph {
  return { isUnwanted, components: new Map(), omitted: 0, invalid: [], unnamed: 0 };
}

function bytesOf({ subject, faults }: InvalidDescription): number {
  return faults.reduce((sum, { pointer, detail }) => sum + pointer.length + detail.length, subject.length);
}
