import type { FailingModule } from '../../core/module-health.js';
import type { Refusals } from '../../core/refusal.js';
import type { Activity, Follower, Health, Pinning } from '../../explain/node-report.js';
import type { SourceStatus } from '../../explain/source-status.js';
import type { StorageTrouble } from '../../store/registry-store.js';

/** What a node says of itself, at the moment of asking. */
export interface Reports {
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
