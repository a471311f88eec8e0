import type { Quad, Term } from '@rdfjs/types';
import { grouped } from '../lib/grouped.js';

/** What tells nodes of one document apart. */
export function keyOf({ termType, value }: Term): string {
  return `${termType} ${value}`;
}

/** The quads of a document by their subjects, in their order. */
export function quadsBySubject(quads: readonly Quad[]): Map<string, Quad[]> {
  return grouped(quads, ({ subject }) => keyOf(subject));
}
