import type { FailingModule } from '../../core/module-health.js';
import type { Refusals, RefusalTally } from '../../core/refusal.js';
import type { Activity, Health, Pinning } from '../../explain/node-report.js';
import type { SourceStatus } from '../../explain/source-status.js';
import type { Trouble } from '../../keep/keep.js';

/** What a node says of itself, at the moment of asking. */
export interface Reports {
  /** What tells it from other nodes that have the same `baseUrl`: the host and port that it listens on. */
  readonly name: string;
  readonly health: () => Health;
  readonly status: () => Promise<readonly SourceStatus[]>;
  /** What the synchronisation has done lately. */
  readonly activity: () => Activity;
  readonly failingStores: () => readonly FailingStore[];
  /** What is not read of what peers told. */
  readonly refusals: () => Refusals;
  readonly refusalsAbove: RefusalTally['refusalsAbove'];
  /** What has been seen of modules. */
  readonly pinning: () => Promise<Pinning>;
  /** Whether and why the last looks at a module failed. */
  readonly moduleFailure: (uri: string) => FailingModule | undefined;
  /** How often that has come to be another answer, of any module. */
  readonly moduleMoves: () => number;
}

/** A database that cannot be written at present. */
export interface FailingStore extends Trouble {
  readonly store: 'registry' | 'connection';
}

/** The databases of a node that cannot be written at present. */
export function storesFailing(
  troubles: Readonly<Record<FailingStore['store'], Trouble | undefined>>,
): FailingStore[] {
  return (['registry', 'connection'] as const).flatMap((store) => {
    const trouble = troubles[store];
    return trouble ? [{ store, ...trouble }] : [];
  });
}

/** `failing`: nothing can be written. What is served is in memory, and goes on. */
export function storageOf(failing: readonly FailingStore[]): 'ok' | 'failing' {
  return failing.length > 0 ? 'failing' : 'ok';
}
