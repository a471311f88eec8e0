/**
 * What a keep throws, beside `StorageFailure`, `StoreUnavailable` and `OutcomeUnknown` of `lib/faults.ts`. After every
 * error of a commit but `OutcomeUnknown` nothing of it is stored.
 */

/** Whoever holds the lease may not write with it any more: what was to be committed may be older than what is stored. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';

  constructor(what: string) {
    super(
      `What this node has read of ${what} is not stored: another node has taken it, or a backup was restored, meanwhile`,
    );
  }
}

/**
 * The keep cannot say what has changed since a head that it was given: that head belongs to another history (a backup was
 * restored, or a standby without the latest commits promoted), or is too old. The way on is to load everything anew.
 */
export class HeadUnknown extends Error {
  override readonly name = 'HeadUnknown';

  /** `isNews`: nobody has noticed before that commits are lost. */
  constructor(readonly isNews = false) {
    super('The stored data has another history than this node has loaded; everything is loaded anew');
  }
}

/** Data that cannot be used, in a sentence for the operator that says what to do. */
export class KeepUnusable extends Error {
  override readonly name: string = 'KeepUnusable';
}

const REPAIR =
  'run "component-registry-node repair --config <file>", which says what can be saved, or restore a backup';

/** What is stored is not what was written. */
export class KeepDamaged extends KeepUnusable {
  override readonly name = 'KeepDamaged';

  /** `place`: the directory or database; `what`: the row, graph or file, and what is wrong with it; `way`: what to do about it. */
  constructor(
    place: string,
    readonly what: string,
    { way = REPAIR, ...options }: ErrorOptions & { readonly way?: string } = {},
  ) {
    super(`The data in ${place} is damaged: ${what}. To go on, ${way}`, options);
  }
}
