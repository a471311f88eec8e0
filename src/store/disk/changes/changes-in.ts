import type { Changes, ChangesRequest, StatementChange } from '../../../registry/changes.js';
import { linesOfKinds } from '../../../registry/feed.js';
import type { State } from '../../../registry/state.js';
import type { Entry } from '../listing/entry.js';
import type { ChangeLog } from './change-log.js';

/** What changes are told from. */
export interface ToldFrom {
  readonly log: ChangeLog;
  /** Of one component. */
  readonly statements: (uri: string) => readonly Entry[];
}

/** A part of the changes of the present state, `since` being known. */
export function changesIn(
  { log, statements }: ToldFrom,
  state: State,
  { since, after = since?.position ?? 0, removals = false, uri, source, kinds, limit }: ChangesRequest,
): Changes {
  const changes: StatementChange[] = [];
  let isCut = false;
  const entries = uri === undefined ? log.entries.after(after) : behind(statements(uri), after);
  const removed = since?.position ?? (removals ? 0 : Number.POSITIVE_INFINITY);
  const gone = ofComponent(log.tombstones.order.after(Math.max(after, removed)), uri);
  for (const change of inOrder(entries, gone)) {
    if (source && !(change.source.kind === source.kind && change.source.url === source.url)) continue;
    if (kinds && !kinds.includes(change.source.kind)) continue;
    isCut = changes.length >= limit;
    if (isCut) break;
    changes.push('origin' in change ? changeOf(change) : change);
  }
  const last = changes.at(-1)?.position;
  const sources = linesOfKinds(state.feed.sources, kinds);
  return {
    ...{ state, changes },
    ...(isCut && last !== undefined ? { next: last } : {}),
    sources: since ? sources.filter(({ position }) => position > since.position) : sources,
  };
}

function behind(entries: readonly Entry[], position: number): Entry[] {
  const greater = entries.filter((entry) => entry.position > position);
  return greater.sort((one, other) => one.position - other.position);
}

function* ofComponent(
  removals: Iterable<StatementChange>,
  uri: string | undefined,
): Generator<StatementChange> {
  for (const removal of removals) if (uri === undefined || removal.uri === uri) yield removal;
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
  const { position, since, isUpdate, origin, metadata, pin } = entry;
  const { source, document, rank = 0 } = origin;
  const changed = pin?.changed === undefined ? {} : { pin };
  return {
    ...{ position, at: since, source, document, rank, uri: metadata.uri, metadata },
    isUpdate,
    ...changed,
  };
}
