import type { FailingModule } from '../../core/module-health.js';
import type { Refusals } from '../../core/refusal.js';
import type { Activity, Follower, Health, Pinning } from '../../explain/node-report.js';
import type { SourceStatus } from '../../explain/source-status.js';
import { StoreUnavailable } from '../../lib/faults.js';
import type { StorageTrouble } from '../../store/registry-store.js';

/** What a node says of itself, at the moment of asking. */
export interface Reports {
  /** What tells it from other nodes that have the same `baseUrl`: the host and port that it listens on. */
  readonly name: string;
  readonly health: () => Health;
  readonly status: () => Promise<readonly SourceStatus[]>;
  /** What the synchronisation has done lately. */
  readonly activity: () => Activity;
  readonly failingStores: () => readonly FailingStore[];
  /** The nodes that read this one, by their `User-Agent`. */
  readonly followers: () => readonly Follower[];
  /** What is not read of what peers told. */
  readonly refusals: () => Refusals;
  /** What has been seen of modules. */
  readonly pinning: () => Promise<Pinning>;
  /** Whether and why the last looks at a module failed. */
  readonly moduleFailure: (uri: string) => FailingModule | undefined;
}

/** A database that cannot be written at present. */
export interface FailingStore extends StorageTrouble {
  readonly store: 'registry' | 'connection';
}

/** The databases of a node that cannot be written at present. */
export function storesFailing(
  troubles: Readonly<Record<FailingStore['store'], StorageTrouble | undefined>>,
): FailingStore[] {
  return (['registry', 'connection'] as const).flatMap((store) => {
    const trouble = troubles[store];
    return trouble ? [{ store, ...trouble }] : [];
  });
}

/** `failing`: nothing can be written. `unreadable`: besides, nothing can be read that is not in memory. */
export function storageOf(failing: readonly FailingStore[]): 'ok' | 'failing' | 'unreadable' {
  if (failing.some(({ isUnreadable }) => isUnreadable)) return 'unreadable';
  return failing.length > 0 ? 'failing' : 'ok';
}

/** Asks questions of the storage. An answer is `undefined` while the storage cannot be read; `failingStores` says why. */
export function whileReadable({
  failingStores,
}: Pick<Reports, 'failingStores'>): <T>(question: () => Promise<T>) => Promise<T | undefined> {
  const isAway = storageOf(failingStores()) === 'unreadable';
  return async (question) => {
    if (isAway) return undefined;
    try {
      return await question();
    } catch (error) {
      if (error instanceof StoreUnavailable) return undefined;
      throw error;
    }
  };
}
