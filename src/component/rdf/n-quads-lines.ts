import type { Quad } from '@rdfjs/types';
import { Parser } from 'n3';
import { explain, MalformedInput } from '../../lib/faults.js';
import { isAbsoluteIri } from '../../lib/iri.js';
import { withoutStop } from '../../lib/sentence.js';

/**
 * A statement as RDF 1.1 N-Quads writes it, whatever its IRIs and literals are made of. Its groups are the IRIs; the last one is
 * its graph. No part can begin in the middle of another one, so that a long line costs no more than its length.
 */
const STATEMENT =
  /^\s*(?:<([^>]*)>|_:[^\s<>"]+)\s+<([^>]*)>\s+(?:<([^>]*)>|_:[^\s<>"]+|"(?:[^"\\]|\\.)*"(?:@[\w-]+|\^\^<([^>]*)>)?)\s*(?:<([^>]*)>\s*)?\.\s*$/;

/**
 * Reads N-Quads of which some lines are wrong, for the sake of all other graphs: each wrong line tells its graph, as far as it has
 * the form of a statement.
 * @param refuse told of the graph of each wrong line (`undefined` is the default graph), and what is wrong
 * @throws MalformedInput for a line that is no statement: nobody knows whose it was
 */
export function readSoundLines(
  text: string,
  take: (quad: Quad) => unknown,
  refuse: (graph: string | undefined, why: string) => void,
): void {
  for (const [i, line] of text.split(/\r\n|\n|\r/).entries()) {
    let quads: Quad[] = [];
    try {
      // With the labels that blank nodes have there: they are the same in all lines.
      quads = new Parser({ format: 'application/n-quads', blankNodePrefix: '_:b_' }).parse(line) as Quad[];
    } catch (fault) {
      const statement = STATEMENT.exec(line);
      if (!statement) throw new MalformedInput(`line ${i + 1} is no statement of N-Quads`);
      const [, ...iris] = statement;
      refuse(iris.at(-1), whatIsWrong(iris, fault));
    }
    for (const quad of quads) take(quad);
  }
}

function whatIsWrong(iris: readonly (string | undefined)[], fault: unknown): string {
  const noIri = iris.find((iri) => iri !== undefined && !isAbsoluteIri(iri));
  return noIri === undefined ? withoutStop(explain(fault)) : `it names what is no IRI (RFC 3987): ${noIri}`;
}
