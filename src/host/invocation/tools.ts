import type { hearDefinitions } from '../definitions.js';
import type { topicsOf } from '../graph-shapes.js';
import type { HostError } from '../host-error.js';
import type { loadModule } from '../load-component.js';
import type { Quad } from '../quad.js';
import type { parseRdf, toTriples } from '../rdf.js';

/**
 * What the modules that are loaded when they are needed take from the library that loads them: with copies of their own,
 * they would have another class of errors and another memory of loaded modules.
 */
export interface Tools {
  readonly HostError: typeof HostError;
  readonly hearDefinitions: typeof hearDefinitions;
  readonly loadModule: typeof loadModule;
  readonly parseRdf: typeof parseRdf;
  readonly toTriples: typeof toTriples;
  readonly topicsOf: typeof topicsOf;
  /** Reads a document that is public, without credentials. */
  readonly readPublic: (url: string) => Promise<readonly Quad[]>;
}
