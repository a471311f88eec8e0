import { DataFactory } from 'n3';
import type { Naming } from '../component/codec.js';
import { createQuadWriter } from '../component/rdf-write.js';
import { type Vocabulary, XSD_INTEGER } from '../component/vocabulary.js';
import type { Clock } from '../lib/clock.js';
import type { Handler } from '../lib/resource.js';
import type { Registry } from '../store/registry.js';
import type { Revision } from '../store/revision.js';
import type { Cacheable } from './cacheable.js';
import { fingerprintOf } from './conditional.js';
import { chooseRepresentation } from './negotiate.js';
import type { Network, NetworkEntry } from './node-report.js';

const { namedNode, literal, quad } = DataFactory;

/** JSON has the addresses alone; Turtle says how each is known. */
export const NETWORK_TYPES = ['application/json', 'text/turtle'] as const;

export interface NetworkParts {
  readonly registry: () => Registry;
  readonly network: () => Network;
  readonly naming: Naming;
  readonly entityTag: (revision: Revision, variant: string) => string;
  readonly cacheable: Cacheable;
  readonly clock: Clock;
}

/** `GET /peers` and `GET /storage`. */
export function listNetwork(list: keyof Network, parts: NetworkParts): Handler {
  const since = { 'application/json': changeTime(parts.clock), 'text/turtle': changeTime(parts.clock) };
  const term = list === 'peers' ? 'peer' : 'storage';
  return (c) => {
    const type = chooseRepresentation(c.req.header('accept'), NETWORK_TYPES);
    const entries = parts.network()[list];
    const body =
      type === 'application/json' ? addresses(entries) : networkTurtle(term, entries, parts.naming);
    const revision = parts.registry().networkRevision;
    const content = fingerprintOf([body]);
    const validators = {
      etag: parts.entityTag(revision, `${term}-${content}`),
      since: since[type](content, revision.since),
    };
    return parts.cacheable(c, validators, (headers) => ({
      status: 200,
      headers: {
        ...headers,
        'content-type': type === 'text/turtle' ? 'text/turtle; charset=utf-8' : type,
      },
      body,
    }));
  };
}

/**
 * When a body last changed. The revision moves with the addresses; how they are known may change without it,
 * and is dated by when it was first seen.
 */
function changeTime(clock: Clock): (content: string, revised: number) => number {
  let known: { content: string; since: number } | undefined;
  return (content, revised) => {
    if (!known) known = { content, since: revised };
    else if (known.content !== content) known = { content, since: clock.now() };
    return Math.max(known.since, revised);
  };
}

function addresses(entries: readonly NetworkEntry[]): string {
  return JSON.stringify(entries.map(({ url }) => url));
}

/** The list in Turtle: what the node knows, over how many hops, and who told it. */
export function networkTurtle(
  term: 'peer' | 'storage',
  entries: readonly NetworkEntry[],
  { baseUrl, vocabulary }: Naming,
): string {
  const writer = createQuadWriter('text/turtle', vocabulary);
  const quads = entries.flatMap((entry) => [
    quad(namedNode(baseUrl), namedNode(vocabulary.network[term]), namedNode(entry.url)),
    ...acquaintance(entry, vocabulary),
  ]);
  return writer.write(quads) + writer.end();
}

function acquaintance({ url, hops, via }: NetworkEntry, { network }: Vocabulary) {
  return [
    quad(namedNode(url), namedNode(network.hops), literal(String(hops), namedNode(XSD_INTEGER))),
    ...via.map((introducer) => quad(namedNode(url), namedNode(network.via), namedNode(introducer))),
  ];
}
