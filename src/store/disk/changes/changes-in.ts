import type { Changes, ChangesRequest, StatementChange } from '../../../registry/changes.js';
import type { State } from '../../../registry/state.js';
import type { Entry } from '../listing/entry.js';
import type { ChangeLog } from './change-log.js';

/** A part of the changes of the present state, `since` being known. */
export function changesIn(
  log: ChangeLog,
  state: State,
  { since, after = since?.position ?? 0, removals = false, source, limit }: ChangesRequest,
): Changes {
  const changes: StatementChange[] = [];
  let isCut = false;
  for (const change of inOrder(log, after, since?.position ?? (removals ? 0 : undefined))) {
    if (source && !(change.source.kind === source.kind && change.source.url === source.url)) continue;
    isCut = changes.length >= limit;
    if (isCut) break;
    changes.push('origin' in change ? changeOf(change) : change);
  }
  const last = changes.at(-1)?.position;
  const { sources } = state.feed;
  return {
    ...{ state, changes },
    ...(isCut && last !== undefined ? { next: last } : {}),
    sources: since ? sources.filter(({ position }) => position > since.position) : sources,
  };
}

/** Statements and, behind the position `removed`, removals, in one order. */
function* inOrder(
  { entries, tombstones }: ChangeLog,
  after: number,
  removed: number | undefined,
): Generator<Entry | StatementChange> {
  const removals =
    removed === undefined ? [][Symbol.iterator]() : tombstones.order.after(Math.max(after, removed));
  let removal = removals.next();
  for (const entry of entries.after(after)) {
    for (; !removal.done && removal.value.position < entry.position; removal = removals.next()) {
      yield removal.value;
    }
    yield entry;
  }
  for (; !removal.done; removal = removals.next()) yield removal.value;
}

function changeOf(entry: Entry): StatementChange {
  const { position, since, isUpdate, origin, metadata } = entry;
  const { source, document, rank = 0 } = origin;
  return { ...{ position, at: since, source, document, rank, uri: metadata.uri, metadata }, isUpdate };
}
