import type { SourceKind } from '../component/source.js';
import type { RefusalReason, Refused } from './take.js';

/** An address that is not read, or a list of them of which only the beginning is. */
export interface Refusal extends Refused {
  readonly url: string;
  readonly kind: Exclude<SourceKind, 'local'>;
  /** The peer that told of it; the first of them, where several did. */
  readonly via: string;
}

export interface ShownRefusals {
  /** Addresses by reason; reasons that nothing is refused for are left out. */
  readonly counts: Readonly<Partial<Record<RefusalReason, number>>>;
  /** The first of them for each reason. */
  readonly examples: readonly Refusal[];
}

/** Everything that is refused. */
export interface Refusals extends ShownRefusals {
  /** Of those that somebody should look at (`UNINTENDED`), how many each peer has told of, by the URL of the peer. */
  readonly unintendedBy: Readonly<Record<string, number>>;
}

/**
 * Reasons for which an address is refused although nobody may have meant it: the operator should look. What waits for
 * approval is none of them: that is how the operator wants it.
 */
export const UNINTENDED: readonly RefusalReason[] = ['private-address', 'over-cap', 'list-cut'];

/** Refusals for each reason that are named; all are counted. */
const EXAMPLES = 50;

/** Gathers what is refused: each address once, for the first reason that is met. */
export class RefusalTally {
  readonly #seen = new Set<string>();
  readonly refusals = {
    counts: {} as Partial<Record<RefusalReason, number>>,
    examples: [] as Refusal[],
    unintendedBy: {} as Record<string, number>,
  } satisfies Refusals;

  add(refusal: Refusal): void {
    const { kind, url, via, reason } = refusal;
    const { counts, examples, unintendedBy } = this.refusals;
    if (this.#seen.has(`${kind} ${url}`)) return;
    this.#seen.add(`${kind} ${url}`);
    counts[reason] = (counts[reason] ?? 0) + 1;
    if (counts[reason] <= EXAMPLES) examples.push(refusal);
    if (UNINTENDED.includes(reason)) unintendedBy[via] = (unintendedBy[via] ?? 0) + 1;
  }
}

export const NO_REFUSALS: Refusals = { counts: {}, examples: [], unintendedBy: {} };
