import type { Quad } from '@rdfjs/types';
import { Parser } from 'n3';
import { MalformedInput } from '../../lib/faults.js';
import { isAbsoluteIri } from '../../lib/iri.js';
import { turtleFault } from './turtle-fault.js';

/** A statement as RDF 1.1 N-Quads writes it, whatever its IRIs and literals are made of; with its graph, if it names one. */
const STATEMENT =
  /^\s*(?:<[^>]*>|_:\S+)\s+<[^>]*>\s+(?:<[^>]*>|_:\S+|"(?:[^"\\]|\\.)*"(?:@[\w-]+|\^\^<[^>]*>)?)\s*(?:<([^>]*)>\s*)?\.\s*$/;

const LITERAL = /"(?:[^"\\]|\\.)*"/;

/** Lines that are parsed at a time: one by one only where something in them is wrong. */
const AT_ONCE = 500;

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
  const lines = text.split(/\r\n|\n|\r/);
  for (let at = 0; at < lines.length; at += AT_ONCE) {
    const some = lines.slice(at, at + AT_ONCE);
    const quads = quadsIn(some.join('\n'));
    if (Array.isArray(quads)) for (const quad of quads) take(quad);
    else for (const [i, line] of some.entries()) readLine(line, at + i + 1, take, refuse);
  }
}

function readLine(
  line: string,
  number: number,
  take: (quad: Quad) => unknown,
  refuse: (graph: string | undefined, why: string) => void,
): void {
  const quads = quadsIn(line);
  if (Array.isArray(quads)) {
    for (const quad of quads) take(quad);
    return;
  }
  const statement = STATEMENT.exec(line);
  if (!statement) throw new MalformedInput(`line ${number} is no statement of N-Quads`);
  const [, graph] = statement;
  const noIri = [...line.replace(LITERAL, '').matchAll(/<([^>]*)>/g)].find(
    ([, iri = '']) => !isAbsoluteIri(iri),
  )?.[1];
  refuse(graph, noIri === undefined ? turtleFault(quads) : `it names what is no IRI (RFC 3987): ${noIri}`);
}

/** The quads in some lines, with the labels that blank nodes have there; or why they cannot be read. */
function quadsIn(text: string): Quad[] | Error {
  try {
    return new Parser({ format: 'application/n-quads', blankNodePrefix: '_:b_' }).parse(text) as Quad[];
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}
