import { LOCAL, sameSource } from '../component/source.js';
import { explain } from '../lib/faults.js';
import { restorePosted } from './check-quads.js';
import type { Loaded } from './load.js';
import { recover, tellLoss } from './losses.js';
import { adjust } from './presentation.js';
import type { Registry } from './registry.js';
import { rowOf, type Serving } from './rows.js';
import type { WritingParts } from './writer.js';

/** Until it is tried again to store what follows from a reload, in ms. */
const AGAIN = 10_000;

export interface Settling extends WritingParts {
  readonly registry: Pick<Registry, 'commitOwn'>;
  readonly isShared: boolean;
}

/**
 * Writes what follows from what was read: what is lost is told, and read again.
 * @param wanted how all is to be shown from now on; as it was stored when absent
 * @returns how many posted components that had lost their rows have been posted again
 */
export async function settle(
  { shown, losses, revived }: Omit<Loaded, 'contents'>,
  wanted: Serving | undefined,
  { registry, isShared, ...parts }: Settling,
): Promise<number> {
  const { data, writer, log } = parts;
  // In another vocabulary, the same documents may say something else.
  const isOther = shown && wanted && shown.namespace !== wanted.namespace;
  const unreadAll = async () => {
    for (const { source } of isOther ? data.now.held.all() : [])
      await writer.write((draft) => recover(source, draft, parts));
  };
  // Before the vocabulary is noted: where this is broken off, the next start begins anew.
  await unreadAll();
  await writer.write((draft) => {
    if (wanted) adjust(draft, wanted, data);
    // Once their removals are forgotten, nothing would tell that they are gone.
    for (const key of revived) draft.rows.push(rowOf('statement', key, undefined));
  });
  // Until the vocabulary was noted, other nodes of the same database may have read documents in the former one.
  if (isShared) await unreadAll();
  for (const loss of losses) {
    tellLoss(loss, log);
    await writer.write((draft) => recover(loss.source, draft, parts, loss.unknown));
  }
  const isPostedLost = losses.some(({ source }) => sameSource(source, LOCAL));
  const restored = isPostedLost ? await restorePosted(parts, registry) : 0;
  if (restored > 0)
    log.warn({ restored }, 'components that were posted to this node have been restored from their quads');
  return restored;
}

/** Settles what was read anew under a running node, and shown as it is stored. Tries again until that can be written; never rejects. */
export async function settleReload(
  loaded: Omit<Loaded, 'contents'>,
  settling: Settling,
  signal: AbortSignal,
): Promise<void> {
  const { clock, log } = settling;
  while (!signal.aborted)
    try {
      // What has been said again since then must stay.
      await settle({ ...loaded, revived: [] }, undefined, settling);
      return;
    } catch (error) {
      if (signal.aborted) return;
      log.warn({ error: explain(error) }, 'what a reload has found cannot be stored; it is tried again');
      await clock.sleep(AGAIN, signal).catch(() => undefined);
    }
}
