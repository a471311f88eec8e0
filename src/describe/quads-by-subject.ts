import type { Quad, Term } from '@rdfjs/types';

/** What tells nodes of one document apart. */
export function keyOf({ termType, value }: Term): string {
  return `${termType} ${value}`;
}

/** The quads of a document by their subjects, in their order. */
export function quadsBySubject(quads: readonly Quad[]): Map<string, Quad[]> {
  const bySubject = new Map<string, Quad[]>();
  for (const quad of quads) {
    const key = keyOf(quad.subject);
    const others = bySubject.get(key);
    if (others) others.push(quad);
    else bySubject.set(key, [quad]);
  }
  return bySubject;
}
