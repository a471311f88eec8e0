import type { Quad } from '@rdfjs/types';
import type { DataFactory } from 'n3';
import type { Writes } from '../../src/keep/keep.js';

export const GRAPH = 'urn:graph';
/** Rows that the commits fill again and again. */
const ROWS = 50;

/** What the commit of this number writes: the whole of `filled` at all times is `ROWS` rows of one number, and as many quads. */
export function commitsOf(number: number, factory: typeof DataFactory): Writes {
  const { literal, namedNode, quad } = factory;
  const rows = Array.from({ length: ROWS }, (_, i) => ({
    table: 'filled',
    key: `k${i}`,
    value: `${number} ${'x'.repeat(500)}`,
  }));
  const said = (of: number) =>
    Array.from(
      { length: 400 },
      (_, i) => quad(namedNode(`urn:s:${i}`), namedNode('urn:p'), literal(`${of}`), namedNode(GRAPH)) as Quad,
    );
  // Every third commit has rows alone: it leaves the quads as the one before has put them.
  if (number % 3 === 0) return { rows };
  const before = number % 3 === 1 ? number - 2 : number - 1;
  return { rows, quads: { remove: said(before), put: said(number) } };
}

/** The number of the commit that has written the quads after that one. */
export function quadsAfter(number: number): number {
  return number % 3 === 0 ? number - 1 : number;
}
