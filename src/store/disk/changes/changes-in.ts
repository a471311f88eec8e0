import { isOfSource } from '../../../component/source.js';
import { newsOf } from '../../../core/pins.js';
import { summariesFor } from '../../../core/source-digests.js';
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
/** Bytes of what the changes say that are parsed in one go: one component may have 2 MB, which takes 10 ms. */
const PARSED = 500_000;

/**
 * A part of the changes of the present state, `since` being known. It ends after so many statements of others, and after so many
 * bytes, with fewer changes than there may be: who asks gives way to other work, and asks on.
 */
export function changesIn({ log, statements }: ToldFrom, state: State, request: ChangesRequest): Changes {
  const { since, after = since?.position ?? 0, removals = false, uri, limit } = request;
  const changes: StatementChange[] = [];
  let isCut = false;
  const entries = uri === undefined ? log.entries.after(after) : behind(statements(uri), after);
  const removed = since?.position ?? (removals ? 0 : Number.POSITIVE_INFINITY);
  const gone = log.tombstones.order.after(Math.max(after, removed))[Symbol.iterator]();
  let last = after;
  let left = LOOKED_AT;
  let parsed = 0;
  for (const change of inOrder(entries, gone)) {
    const isAsked =
      (uri === undefined || change.uri === uri) &&
      isOfSource('origin' in change ? change.origin.source : change.source, request);
    isCut = left === 0 || (isAsked && (changes.length >= limit || parsed >= PARSED));
    if (isCut) break;
    left -= 1;
    last = change.position;
    if (!isAsked) continue;
    if ('origin' in change) parsed += change.length;
    changes.push('origin' in change ? changeOf(change) : change);
  }
  return {
    state,
    changes,
    next: isCut ? last : undefined,
    sources: summariesFor(state.feed.sources, request),
  };
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
  return {
    position,
    at,
    source,
    document,
    rank,
    uri: metadata.uri,
    metadata,
    isUpdate,
    since: since === at ? undefined : since,
    pin: newsOf(pin),
  };
}
