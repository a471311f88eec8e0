import type { Fault } from '../../lib/faults.js';
import type { Metadata } from '../metadata.js';

/** A description that breaks a rule, with the subject that it is about. */
export interface InvalidDescription {
  readonly subject: string;
  readonly faults: readonly Fault[];
}

/** Faults for which a part of a description is left out, while the rest of it is listed. */
export interface LeftOut {
  /** Of the component. */
  readonly uri: string;
  readonly faults: readonly Fault[];
}

/** The components that a document describes, and its descriptions that break a rule. */
export interface Described {
  readonly components: Metadata[];
  readonly invalid: InvalidDescription[];
  /** What is left out of some of the components: of no more of them than `invalid` names. Absent when nothing is. */
  readonly leftOut?: readonly LeftOut[];
  /** How many more descriptions are invalid than `invalid` names, or have not been looked at; absent when there are none. */
  readonly unnamed?: number;
  /** How many more components there are than were asked for; absent when there are none. */
  readonly omitted?: number;
}

/** The member of a `Described`; no member when nothing is left out. */
export function withLeftOut(leftOut: readonly LeftOut[]): Pick<Described, 'leftOut'> {
  return leftOut.length === 0 ? {} : { leftOut };
}
