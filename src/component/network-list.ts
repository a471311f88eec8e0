import { createHash } from 'node:crypto';
import type { Quad } from '@rdfjs/types';
import { DataFactory } from 'n3';
import type { Naming } from './naming.js';
import { RDF_TYPE, type Vocabulary, XSD_INTEGER } from './vocabulary.js';

const { namedNode, literal, quad } = DataFactory;

/** An entry of `/peers` or `/storage`, as the node that lists it knows it. */
export interface ListedAddress {
  readonly url: string;
  /** 0 when that node's operator configured it. */
  readonly hops: number;
  /** The nodes through which it is known there, the nearest first. */
  readonly via: readonly string[];
  /** It comes from a plain list, which says nothing of hops: nobody knows whether the operator there has configured it. */
  readonly isPlain?: true;
}

/** What is read of one list, whatever a stranger writes: entries, and nodes on the way to an entry. */
export const MOST_LISTED = { entries: 10_000, via: 16 } as const;

/** Hexadecimal digits of each half of a digest of lists. */
const DIGITS = 12;

/**
 * Says whether two nodes have the same `/peers` and `/storage`, in any order: 12 hexadecimal digits over the entries, and
 * behind a point 12 over their addresses alone, for readers who were told no more. Of each list, as much counts as is read.
 */
export function listsDigest(lists: {
  readonly peers: readonly ListedAddress[];
  readonly storage: readonly ListedAddress[];
}): string {
  const texts = [lists.peers, lists.storage].map((list) => list.slice(0, MOST_LISTED.entries));
  const whole = texts.map((list) =>
    list.map(({ url, hops, via }) => [url, hops, ...via.slice(0, MOST_LISTED.via)].join(' ')),
  );
  return `${digestOf(whole)}.${digestOf(texts.map((list) => list.map(({ url }) => url)))}`;
}

/** Neither a URL nor a number has a line break in it. */
function digestOf(lists: readonly (readonly string[])[]): string {
  const text = lists.map((list) => `${list.toSorted().join('\n')}\n\n`).join('');
  return createHash('sha256').update(text).digest('hex').slice(0, DIGITS);
}

/** Are lists with this digest as they were read, with all that was told of them? */
export function areListed(digest: string, lists: Parameters<typeof listsDigest>[0]): boolean {
  const read = listsDigest(lists);
  const isPlain = [...lists.peers, ...lists.storage].every(({ hops, via }) => hops === 0 && via.length === 0);
  return digest === read || (isPlain && digest.split('.')[1] === read.split('.')[1]);
}

export type NetworkTerm = keyof Vocabulary['network'] & ('peer' | 'storage');

/**
 * The list as quads: the node whose list it is, the addresses that it knows, and then their hops and their introducers. What
 * has one subject stands together: Turtle names it once then, which saves a fifth of such a list.
 */
export function networkQuads(
  term: NetworkTerm,
  entries: readonly ListedAddress[],
  { baseUrl, vocabulary }: Naming,
): Quad[] {
  const { network } = vocabulary;
  const listed = entries.map(({ url }) => quad(namedNode(baseUrl), namedNode(network[term]), namedNode(url)));
  const known = entries.flatMap(({ url, hops, via }) => [
    quad(namedNode(url), namedNode(network.hops), literal(String(hops), namedNode(XSD_INTEGER))),
    ...via.map((introducer) => quad(namedNode(url), namedNode(network.via), namedNode(introducer))),
  ]);
  return [quad(namedNode(baseUrl), namedNode(RDF_TYPE), namedNode(network.node)), ...listed, ...known];
}

/** How many introducers of one address are read: more than any path through a network has. */
const MOST_VIA = 64;

/** Reads the list from the quads that `networkQuads` made, in any order. */
export class AddressReader {
  readonly #term: NetworkTerm;
  readonly #vocabulary: Vocabulary;
  readonly #listed = new Set<string>();
  readonly #hops = new Map<string, number>();
  readonly #via = new Map<string, string[]>();
  #node: string | undefined;
  #empty = true;

  constructor(term: NetworkTerm, vocabulary: Vocabulary) {
    this.#term = term;
    this.#vocabulary = vocabulary;
  }

  add({ subject, predicate, object }: Quad): void {
    const { network } = this.#vocabulary;
    this.#empty = false;
    if (predicate.value === network[this.#term]) {
      if (object.termType === 'NamedNode') this.#listed.add(object.value);
    } else if (predicate.value === network.hops) this.#hops.set(subject.value, hopsOf(object.value));
    else if (predicate.value === network.via) this.#introduce(subject.value, object.value);
    else if (predicate.value === RDF_TYPE && object.value === network.node) this.#node ??= subject.value;
  }

  /** Has no quad been added? */
  get empty(): boolean {
    return this.#empty;
  }

  /** The base URL of the node whose list this is. */
  get node(): string | undefined {
    return this.#node;
  }

  /** The addresses in the order in which they were added. One without hops is configured at that node. */
  *listed(): Generator<ListedAddress> {
    for (const url of this.#listed) {
      yield { url, hops: this.#hops.get(url) ?? 0, via: this.#via.get(url) ?? [] };
    }
  }

  #introduce(url: string, introducer: string): void {
    const via = this.#via.get(url);
    if (!via) this.#via.set(url, [introducer]);
    else if (via.length < MOST_VIA) via.push(introducer);
  }
}

/** The plain list of the specification: an array of addresses. Undefined for anything else. */
export function addressesFromJson(body: unknown): ListedAddress[] | undefined {
  if (!Array.isArray(body) || !body.every((url) => typeof url === 'string')) return undefined;
  return [...new Set(body)].map((url) => ({ url, hops: 0, via: [], isPlain: true }));
}

function hopsOf(text: string): number {
  const hops = Number(text);
  return Number.isSafeInteger(hops) && hops > 0 ? hops : 0;
}
