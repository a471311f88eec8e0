import type { Fault } from '../../lib/faults.js';
import type { Metadata } from '../metadata.js';

/** A description that breaks a rule, with the subject that it is about. */
export interface InvalidDescription {
  readonly subject: string;
  readonly faults: readonly Fault[];
}

/** The components that a document describes, and its descriptions that break a rule. */
export interface Described {
  readonly components: Metadata[];
  readonly invalid: InvalidDescription[];
  /** How many more descriptions are invalid than `invalid` names, or have not been looked at; absent when there are none. */
  readonly unnamed?: number;
  /** How many more components there are than were asked for; absent when there are none. */
  readonly omitted?: number;
}
