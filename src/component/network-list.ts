import type { Quad } from '@rdfjs/types';
import { DataFactory } from 'n3';
import type { Naming } from './codec.js';
import { RDF_TYPE, type Vocabulary, XSD_INTEGER } from './vocabulary.js';

const { namedNode, literal, quad } = DataFactory;

/** An entry of `/peers` or `/storage`, as the node that lists it knows it. */
export interface ListedAddress {
  readonly url: string;
  /** 0 when that node's operator configured it. */
  readonly hops: number;
  /** The nodes through which it is known there, the nearest first. */
  readonly via: readonly string[];
}

export type NetworkTerm = keyof Vocabulary['network'] & ('peer' | 'storage');

/** The list as quads: whose it is, whom that node knows, over how many hops, and through whom. */
export function networkQuads(
  term: NetworkTerm,
  entries: readonly ListedAddress[],
  { baseUrl, vocabulary }: Naming,
): Quad[] {
  const { network } = vocabulary;
  const lines = entries.flatMap(({ url, hops, via }) => [
    quad(namedNode(baseUrl), namedNode(network[term]), namedNode(url)),
    quad(namedNode(url), namedNode(network.hops), literal(String(hops), namedNode(XSD_INTEGER))),
    ...via.map((introducer) => quad(namedNode(url), namedNode(network.via), namedNode(introducer))),
  ]);
  return [quad(namedNode(baseUrl), namedNode(RDF_TYPE), namedNode(network.node)), ...lines];
}

/** What the node whose list this is calls itself. */
export function nodeOfQuads(quads: Iterable<Quad>, { network }: Vocabulary): string | undefined {
  for (const { subject, predicate, object } of quads) {
    if (predicate.value === RDF_TYPE && object.value === network.node) return subject.value;
  }
  return undefined;
}

/** Reads back what `networkQuads` made, in the same order. What says no hops was configured there. */
export function addressesFromQuads(
  quads: Iterable<Quad>,
  term: NetworkTerm,
  { network }: Vocabulary,
): ListedAddress[] {
  const listed = new Set<string>();
  const hops = new Map<string, number>();
  const via = new Map<string, string[]>();
  for (const { subject, predicate, object } of quads) {
    if (predicate.value === network[term] && object.termType === 'NamedNode') listed.add(object.value);
    else if (predicate.value === network.hops) hops.set(subject.value, hopsOf(object.value));
    else if (predicate.value === network.via) {
      via.set(subject.value, [...(via.get(subject.value) ?? []), object.value]);
    }
  }
  return [...listed].map((url) => ({ url, hops: hops.get(url) ?? 0, via: via.get(url) ?? [] }));
}

/** The plain list of the specification: an array of addresses. Undefined for anything else. */
export function addressesFromJson(body: unknown): ListedAddress[] | undefined {
  if (!Array.isArray(body) || !body.every((url) => typeof url === 'string')) return undefined;
  return [...new Set(body)].map((url) => ({ url, hops: 0, via: [] }));
}

function hopsOf(text: string): number {
  const hops = Number(text);
  return Number.isSafeInteger(hops) && hops > 0 ? hops : 0;
}
