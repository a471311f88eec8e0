import { StorageFailure, StoreUnavailable } from '../lib/faults.js';

/**
 * What a keep throws, beside `OutcomeUnknown` of `lib/faults.ts`: the database failed in the middle of a commit and could not be
 * asked afterwards, so that the commit is stored or not. After every other error of a commit nothing of it is stored.
 */

/** The disk is full or refuses to write (507). The commit can be tried again when there is room; no restart is needed. */
export class KeepFull extends StorageFailure {
  override readonly name = 'KeepFull';
}

/** The database cannot be asked at present (503 with `Retry-After`). Asking again in a moment may help. */
export class KeepUnavailable extends StoreUnavailable {
  override readonly name = 'KeepUnavailable';
}

/** The lease was given back, or somebody else has taken it since: what was to be committed may be older than what is stored. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';

  constructor(what: string) {
    super(`Another node has taken ${what} meanwhile; what this one has read of it is not stored`);
  }
}

/**
 * The keep cannot say what has changed since a head that it was given: that head belongs to another history (a backup was
 * restored, or a standby without the latest commits promoted), or is too old. The way on is to load everything anew.
 */
export class HeadUnknown extends Error {
  override readonly name = 'HeadUnknown';

  constructor() {
    super('The stored data has another history than this node has loaded; everything is loaded anew');
  }
}

/** Data that cannot be used, in a sentence for the operator that says what to do. */
export class KeepUnusable extends Error {
  override readonly name: string = 'KeepUnusable';
}

/** Another process uses the directory. */
export class KeepLocked extends KeepUnusable {
  override readonly name = 'KeepLocked';
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
