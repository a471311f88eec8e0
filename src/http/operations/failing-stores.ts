import type { StorageTrouble } from '../../store/registry-store.js';
import type { FailingStore } from './node-report.js';

/** The databases of a node that cannot be written at present, given what each says of itself. */
export function storesFailing(
  troubles: Readonly<Record<FailingStore['store'], StorageTrouble | undefined>>,
): FailingStore[] {
  return (['registry', 'connection'] as const).flatMap((store) => {
    const trouble = troubles[store];
    return trouble ? [{ store, ...trouble }] : [];
  });
}
