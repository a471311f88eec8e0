import type { Fault } from '../../lib/faults.js';
import type { Metadata } from '../metadata.js';
import { LIMITS } from '../values.js';
import type { Checked } from './claims.js';

/** A description that breaks a rule, or of which a part is left out, with the subject that it is about. */
export interface FaultyDescription {
  readonly subject: string;
  readonly faults: readonly Fault[];
}

/** The components that a document describes, and its descriptions that break a rule. */
export interface Described {
  readonly components: Metadata[];
  readonly invalid: FaultyDescription[];
  /** What is left out of some of the components: of no more of them than `invalid` names. */
  readonly leftOut: FaultyDescription[];
  /** How many more descriptions are invalid than `invalid` names, or have not been looked at. */
  unnamed: number;
}

/** How many faulty descriptions of one document are reported: enough to see what is wrong with it. */
const REPORTED = 100;

export function nothingDescribed(): Described {
  return { components: [], invalid: [], leftOut: [], unnamed: 0 };
}

/** Adds what one description comes to. */
export function addDescription(to: Described, subject: string, { metadata, faults }: Checked): void {
  if (metadata) to.components.push(metadata);
  const faulty = metadata ? to.leftOut : to.invalid;
  if (faults.length > 0 && faulty.length < REPORTED)
    faulty.push({ subject: subject.slice(0, LIMITS.uri), faults });
  else if (!metadata) to.unnamed += 1;
}
