import type { Quad } from './quad.js';

/** The one part of n3 that is bundled, described without the types of Node.js that its own description needs. */
export declare class Parser {
  constructor(options: { format: string; baseIRI: string });
  parse(text: string): Quad[];
}
