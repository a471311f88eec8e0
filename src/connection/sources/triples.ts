import type { Quad, Term } from '@rdfjs/types';
import { DataFactory } from 'n3';

/**
 * The triples of a document in the form in which they are stored: in one graph, without repetitions. Blank nodes are
 * renamed in the order in which they come, so that an unchanged document gives the same triples when it is read again.
 */
export function triplesIn(graph: ReturnType<typeof DataFactory.namedNode>, quads: readonly Quad[]): Quad[] {
  const names = new Map<string, string>();
  const triples = new Map<string, Quad>();
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
    triples.set(keyOf(triple), triple);
  }
  return [...triples.values()];
}

/** The quads to remove from a graph, and those to add, to turn one state into another. */
export function difference(before: readonly Quad[], after: readonly Quad[]): { remove: Quad[]; add: Quad[] } {
  const [old, next] = [before, after].map((quads) => new Set(quads.map(keyOf)));
  return {
    remove: before.filter((quad) => !next?.has(keyOf(quad))),
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
