import type { Quad } from '@rdfjs/types';
import { DataFactory } from 'n3';
import { grouped } from '../lib/grouped.js';
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

/**
 * Reads the list from the quads that `networkQuads` made, in any order; an address without hops is configured at that node. `node`:
 * the base URL of the node whose list it is, where that is said.
 */
export function listIn(quads: readonly Quad[], term: NetworkTerm, { network }: Vocabulary) {
  const saying = (predicate: string) => quads.filter((one) => one.predicate.value === predicate);
  const named = saying(network[term]).filter(({ object }) => object.termType === 'NamedNode');
  const hops = new Map(
    saying(network.hops).map(({ subject, object }) => [subject.value, hopsOf(object.value)]),
  );
  const via = grouped(saying(network.via), ({ subject }) => subject.value);
  const urls = new Set(named.map(({ object }) => object.value));
  const listed: readonly ListedAddress[] = [...urls].map((url) => ({
    url,
    hops: hops.get(url) ?? 0,
    via: (via.get(url) ?? []).slice(0, MOST_LISTED.via).map(({ object }) => object.value),
  }));
  const node = saying(RDF_TYPE).find(({ object }) => object.value === network.node)?.subject.value;
  return { node, listed };
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
