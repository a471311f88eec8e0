import type { Quad, Term } from '@rdfjs/types';
import { DataFactory } from 'n3';

/**
 * The triples of a document as they are kept: all in one graph, each once, blank nodes named by the order in
 * which they come, so that a document that has not changed looks the same when it is read again.
 */
export function triplesIn(graph: ReturnType<typeof DataFactory.namedNode>, quads: readonly Quad[]): Quad[] {
  const names = new Map<string, string>();
  const kept = new Map<string, Quad>();
  const rename = (term: Term): Term => {
    if (term.termType !== 'BlankNode') return term;
    const name = names.get(term.value) ?? `b${names.size}`;
    names.set(term.value, name);
    return DataFactory.blankNode(name) as Term;
  };
  for (const { subject, predicate, object } of quads) {
    const triple = DataFactory.quad(
      rename(subject) as never,
      predicate as never,
      rename(object) as never,
      graph,
    ) as Quad;
    kept.set(keyOf(triple), triple);
  }
  return [...kept.values()];
}

/** The quads to remove from a graph and to add to it so that it holds the wanted ones. */
export function difference(before: readonly Quad[], after: readonly Quad[]): { remove: Quad[]; add: Quad[] } {
  const [old, young] = [before, after].map((quads) => new Set(quads.map(keyOf)));
  return {
    remove: before.filter((quad) => !young?.has(keyOf(quad))),
    add: after.filter((quad) => !old?.has(keyOf(quad))),
  };
}

function keyOf({ subject, predicate, object }: Quad): string {
  return JSON.stringify([termKey(subject), predicate.value, termKey(object)]);
}

function termKey(term: Term): readonly string[] {
  if (term.termType !== 'Literal') return [term.termType, term.value];
  return [term.value, term.datatype.value, term.language];
}
