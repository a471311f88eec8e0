import type { InvalidDescription } from '../../component/codec.js';
import type { Metadata } from '../../component/metadata.js';
import { PARSED_MEDIA_TYPES, parseRdf } from '../../component/rdf-parse.js';
import { MalformedInput } from '../../lib/faults.js';
import { sizeOf } from '../component-size.js';
import type { Amount } from '../sync-source.js';
import { isCompactJsonLd, parsedJson, statementsInJson } from './json-listing.js';
import type { ListingBody, Statements } from './listing-body.js';
import { statementsInQuads } from './quad-listing.js';

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
export async function readListing(dataset: PeerDataset, body: ListingBody, room: Room): Promise<void> {
  for await (const { graph: name, described, behind } of statementsIn(body)) {
    const graph: PeerGraph = dataset.get(name) ?? {
      components: new Map(),
      omitted: 0,
      invalid: [],
      behind: new Set(),
    };
    dataset.set(name, graph);
    const { components, invalid } = described;
    if (behind !== undefined) graph.behind.add(behind);
    for (const component of components) {
      if (room.take(component)) graph.components.set(component.uri, component);
      else graph.omitted += 1;
    }
    graph.invalid.push(...invalid.slice(0, NAMED_INVALID - graph.invalid.length));
  }
}

async function* statementsIn(body: ListingBody): AsyncGenerator<Statements> {
  const { text, mediaType, base: baseIri, vocabulary } = body;
  if (/[/+]json$/.test(mediaType) || (mediaType === '' && /^\s*[[{]/.test(text))) {
    const parsed = parsedJson(text);
    if (!isCompactJsonLd(parsed)) return yield* statementsInJson(parsed, body);
    const quads = await parseRdf(text, { mediaType: 'application/ld+json', baseIri, vocabulary });
    return yield* statementsInQuads(quads, body);
  }
  if (!PARSED_MEDIA_TYPES.includes(mediaType)) {
    throw new MalformedInput(`it is ${mediaType || 'of no media type'}, which is no listing of components`);
  }
  yield* statementsInQuads(await parseRdf(text, { mediaType, baseIri, vocabulary }), body);
}
