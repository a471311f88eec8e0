import type { Fault } from '../../lib/faults.js';
import type { Metadata } from '../metadata.js';
import { LIMITS } from '../values.js';
import type { Checked } from './claims.js';

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
  readonly leftOut?: readonly LeftOut[] | undefined;
  /** How many more descriptions are invalid than `invalid` names, or have not been looked at; absent when there are none. */
  readonly unnamed?: number | undefined;
  /** How many more components there are than were asked for; absent when there are none. */
  readonly omitted?: number | undefined;
}

/** How many invalid descriptions of one document are reported: enough to see what is wrong with it. */
const REPORTED = 100;

/** Collects what the descriptions of a document come to. */
export class DescribedSoFar {
  readonly #components: Metadata[] = [];
  readonly #invalid: InvalidDescription[] = [];
  readonly #leftOut: LeftOut[] = [];
  #unnamed = 0;

  add(subject: string, { metadata, faults = [], leftOut = [] }: Checked): void {
    if (metadata) {
      this.#components.push(metadata);
      if (leftOut.length > 0 && this.#leftOut.length < REPORTED)
        this.#leftOut.push({ uri: metadata.uri, faults: leftOut });
    } else if (this.#invalid.length < REPORTED)
      this.#invalid.push({ subject: subject.slice(0, LIMITS.uri), faults });
    else this.#unnamed += 1;
  }

  /** @param unseen descriptions that have not been looked at */
  result(unseen = 0): Described {
    return {
      components: this.#components,
      invalid: this.#invalid,
      leftOut: this.#leftOut.length > 0 ? this.#leftOut : undefined,
      unnamed: this.#unnamed + unseen || undefined,
    };
  }
}
