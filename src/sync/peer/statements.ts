import { sizeOf } from '../../component/component-size.js';
import type { Metadata } from '../../component/metadata.js';
import type { FaultyDescription } from '../../component/reading/described.js';

/** Some of what one document of a peer says, as its listing or its feed tells it. */
export interface Statements {
  /** The name that the document has there; percent-encoded where that is no IRI. */
  readonly graph: string;
  /** The source of the peer that it belongs to (`sourceKey`), where the peer tells. */
  readonly of?: string;
  readonly components?: readonly Metadata[];
  /** The uri of a component that it does not describe any more. */
  readonly removed?: string;
  readonly invalid?: readonly FaultyDescription[];
  /** How many more of its descriptions are invalid. */
  readonly unnamed?: number;
  /** Why nothing of it can be taken. */
  readonly refused?: string;
}

/** Why nothing is taken of a document whose name is none. */
export const NO_IRI = 'its name is no IRI (RFC 3987), so that nothing of it is taken';

/** Characters of some statements, or more. */
export function lengthOf({ graph, components = [], removed, invalid = [], refused }: Statements): number {
  let length = graph.length + (removed ?? '').length + (refused ?? '').length;
  for (const component of components) length += sizeOf(component);
  for (const { subject, faults } of invalid)
    for (const { detail } of faults) length += subject.length + detail.length;
  return length;
}
