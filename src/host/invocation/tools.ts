import type { hearDefinitions, oneAtATime } from '../definitions.js';
import type { topicsOf } from '../graph-shapes.js';
import type { HostError } from '../host-error.js';
import type { moduleLoad } from '../load-component.js';
import type { Quad } from '../quad.js';
import type { parseRdf, toTriples } from '../rdf.js';

/**
 * What the modules that are loaded when they are needed take from the library that loads them: with copies of their own,
 * they would have another class of errors and another memory of loaded modules.
 */
export interface Tools {
  readonly HostError: typeof HostError;
  readonly hearDefinitions: typeof hearDefinitions;
  readonly moduleLoad: typeof moduleLoad;
  readonly oneAtATime: typeof oneAtATime;
  readonly parseRdf: typeof parseRdf;
  readonly toTriples: typeof toTriples;
  readonly topicsOf: typeof topicsOf;
  /** Reads a document that is public, without credentials. */
  readonly readPublic: (url: string) => Promise<readonly Quad[]>;
}
