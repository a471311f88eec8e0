import { Parser } from 'n3';
import type { Quad } from './quad.js';

/**
 * The quads of a document of the Turtle family. This is a module of its own, imported with the first such document, because
 * its parser is as large as all of the rest of the library.
 *
 * @param base what relative IRIs are resolved against
 * @throws Error saying what is wrong with the text
 */
export function parseTurtle(text: string, mediaType: string, base: string): Quad[] {
  // Named, the format keeps out what the parser would accept beyond it.
  return new Parser({ format: mediaType, baseIRI: base }).parse(text);
}
