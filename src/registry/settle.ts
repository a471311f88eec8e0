import { LOCAL, sameSource } from '../component/source.js';
import { precedenceOf } from '../core/precedence.js';
import { explain } from '../lib/faults.js';
import { restorePosted } from './check-quads.js';
import type { Draft } from './draft.js';
import type { Held } from './held.js';
import type { Loaded } from './load.js';
import { readAgain } from './losses.js';
import type { Registry } from './registry.js';
import { metaRow, rowOf } from './rows.js';
import { isLater, type Serving, showsTheSame } from './serving.js';
import type { WritingParts } from './writer.js';

/** Until it is tried again to store what follows from a reload, in ms. */
const AGAIN = 10_000;

/**
 * Writes what follows from what was read: what is lost is read again.
 * @param wanted how all is to be shown from now on, unless a node was started later; as it was stored when absent
 * @returns how many posted components that had lost their rows have been posted again
 */
export async function settle(
  { shown, losses, revived }: Omit<Loaded, 'contents'>,
  wanted: Serving | undefined,
  registry: Pick<Registry, 'commitOwn'>,
  parts: WritingParts & { readonly isShared: boolean },
): Promise<number> {
  const { data, writer, log, isShared } = parts;
  // First of all: to show all otherwise it is read anew, where what is lost would be found once more.
  await readAgain(losses, parts);
  // In another vocabulary, the same documents may say something else.
  const isOther = shown && wanted && shown.namespace !== wanted.namespace;
  // Before the vocabulary is noted: where this is broken off, the next start begins anew.
  if (isOther) await readAgain(data.now.held.all(), parts);
  await writer.write((draft) => {
    if (wanted && !isLater(data.now.serving, wanted)) serveAs(wanted, shown, draft, data.now.held);
    // Once their removals are forgotten, nothing would tell that they are gone.
    for (const key of revived) draft.rows.push(rowOf('statement', key, undefined));
  });
  // Until the vocabulary was noted, other nodes of the same database may have read documents in the former one.
  if (isOther && isShared) await readAgain(data.now.held.all(), parts);
  const isPostedLost = losses.some(({ source }) => sameSource(source, LOCAL));
  const restored = isPostedLost ? await restorePosted(parts, registry) : 0;
  if (restored > 0)
    log.warn({ restored }, 'components that were posted to this node have been restored from their quads');
  return restored;
}

/** What is changed, so that all is shown as it is configured. */
function serveAs(serving: Serving, shown: Serving | undefined, draft: Draft, held: Held): void {
  const precedence = precedenceOf(serving.order);
  for (const one of held.all()) {
    const rank = precedence.rank(one.source);
    if (!one.summary || rank === one.rank) continue;
    draft.positions = 1;
    draft.source({ ...one, rank }, one.record);
  }
  const isMoved = !shown || draft.rows.length > 0;
  if (!isMoved && shown.servedAs === serving.servedAs && showsTheSame(shown, serving)) return;
  draft.rows.push(metaRow('serving', serving));
  draft.positions = isMoved ? 1 : 0;
}

/**
 * Settles what is read anew under a running node. A reload happens within a commit, and settling needs commits of its own: so it
 * begins when that commit has ended, and is tried again until everything is stored.
 * @param settled see `settle`
 */
export function createReloads(
  settled: (loaded: Omit<Loaded, 'contents'>, wanted: Serving | undefined) => Promise<unknown>,
  { clock, log }: Pick<WritingParts, 'clock' | 'log'>,
  signal: AbortSignal,
) {
  let latest: { readonly loaded: Omit<Loaded, 'contents'>; readonly wanted: Serving | undefined } | undefined;
  let isSettling = false;
  const settleAll = async () => {
    isSettling = true;
    while (latest && !signal.aborted) {
      const some = latest;
      try {
        await settled(some.loaded, some.wanted);
        if (latest === some) latest = undefined;
      } catch (error) {
        if (signal.aborted) return;
        log.warn({ error: explain(error) }, 'what a reload has found cannot be stored; it is tried again');
        await clock.sleep(AGAIN, signal).catch(() => undefined);
      }
    }
    isSettling = false;
  };
  return {
    /** How all is to be shown, where that is still to be stored. */
    wanted: () => latest?.wanted,
    /** Takes the place of what was read before. @param wanted see `settle` */
    add(loaded: Omit<Loaded, 'contents'>, wanted: Serving | undefined): void {
      // What has been said again by then must stay.
      latest = { loaded: { ...loaded, revived: [] }, wanted };
      if (!isSettling) void settleAll();
    },
  };
}
