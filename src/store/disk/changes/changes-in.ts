import { linesOfKinds } from '../../../core/source-digests.js';
import type { Changes, ChangesRequest, StatementChange } from '../../../registry/changes.js';
import type { State } from '../../../registry/state.js';
import type { Entry } from '../listing/entry.js';
import type { ChangeLog } from './change-log.js';

/** What changes are told from. */
export interface ToldFrom {
  readonly log: Pick<ChangeLog, 'entries' | 'tombstones'>;
  /** Of one component. */
  readonly statements: (uri: string) => readonly Entry[];
}

/** Statements that are looked at in one go: it takes about 0.3 ms to pass over those that are not asked for. */
const LOOKED_AT = 5000;

/**
 * A part of the changes of the present state, `since` being known. It ends after so many statements of others, with fewer
 * changes than there may be: who asks gives way to other work, and asks on.
 */
export function changesIn(
  { log, statements }: ToldFrom,
  state: State,
  { since, after = since?.position ?? 0, removals = false, uri, source, kinds, limit }: ChangesRequest,
): Changes {
  const changes: StatementChange[] = [];
  let isCut = false;
  const entries = uri === undefined ? log.entries.after(after) : behind(statements(uri), after);
  const removed = since?.position ?? (removals ? 0 : Number.POSITIVE_INFINITY);
  const gone = log.tombstones.order.after(Math.max(after, removed))[Symbol.iterator]();
  let last = after;
  let left = LOOKED_AT;
  for (const change of inOrder(entries, gone)) {
    const isAsked = isOf(change, { uri, source, kinds });
    isCut = left === 0 || (isAsked && changes.length >= limit);
    if (isCut) break;
    left -= 1;
    last = change.position;
    if (isAsked) changes.push('origin' in change ? changeOf(change) : change);
  }
  const sources = linesOfKinds(state.feed.sources, kinds);
  return {
    ...{ state, changes },
    ...(isCut ? { next: last } : {}),
    sources: since ? sources.filter(({ position }) => position > since.position) : sources,
  };
}

function isOf(
  change: Entry | StatementChange,
  { uri, source, kinds }: Pick<ChangesRequest, 'uri' | 'source' | 'kinds'>,
): boolean {
  const { kind, url } = 'origin' in change ? change.origin.source : change.source;
  if (source && !(kind === source.kind && url === source.url)) return false;
  if (kinds && !kinds.includes(kind)) return false;
  return uri === undefined || change.uri === uri;
}

function behind(entries: readonly Entry[], position: number): Entry[] {
  const greater = entries.filter((entry) => entry.position > position);
  return greater.sort((one, other) => one.position - other.position);
}

/** Statements and removals, both by their positions, in one order. */
function* inOrder(
  entries: Iterable<Entry>,
  removals: Iterator<StatementChange>,
): Generator<Entry | StatementChange> {
  let removal = removals.next();
  for (const entry of entries) {
    for (; !removal.done && removal.value.position < entry.position; removal = removals.next()) {
      yield removal.value;
    }
    yield entry;
  }
  for (; !removal.done; removal = removals.next()) yield removal.value;
}

function changeOf(entry: Entry): StatementChange {
  const { position, at, since, isUpdate, origin, metadata, pin } = entry;
  const { source, document, rankWithin: rank } = origin;
  const changed = pin?.changed === undefined ? {} : { pin };
  return {
    ...{ position, at, source, document, rank, uri: metadata.uri, metadata },
    isUpdate,
    ...(since === at ? {} : { since }),
    ...changed,
  };
}
