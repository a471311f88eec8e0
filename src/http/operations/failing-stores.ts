import type { StorageTrouble } from '../../store/registry-store.js';

/** A database that cannot be written at present; reads from it are still answered. */
export interface FailingStore {
  readonly store: 'registry' | 'connection';
  /** ms since the epoch. */
  readonly since: number;
  readonly error: string;
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
