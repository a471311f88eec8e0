import { isChanged, type Pin, type PinSubject, pinKey, samePin } from '../../../component/pin.js';
import { decidedPins, type PinDecision, pinOf } from '../../../core/pins.js';
import type { Session } from '../connection/session.js';
import type { Transaction } from '../connection/transaction.js';
import { orderKey } from '../order-key.js';
import { metadataOf } from '../payload.js';
import { portionsOf } from '../portions-of.js';
import { standingOf } from '../standing-columns.js';
import { moveHead } from './head.js';
import { type History, lockHistory, type Moved, moveTo } from './history.js';
import { type RankedStatement, readByUri } from './statements.js';
import { pinRowKey, readPins } from './stored-pins.js';

export interface PinsParts {
  /** ms since the Unix epoch. */
  readonly now: number;
  readonly history: History;
}

/**
 * Decides anew what is remembered of modules, and puts the pins beside the statements that they belong to; `undefined` when
 * readers see the same as before. Sources are locked before the head, as commits do it.
 */
export async function changePins<T extends PinSubject>(
  session: Transaction,
  subjects: readonly T[],
  decide: PinDecision<T>,
  parts: PinsParts,
): Promise<Moved | undefined> {
  const uris = [...new Set(subjects.map(({ uri }) => orderKey(uri)))];
  const locked = await lockSources(session, await readByUri(session, uris));
  const { head, summaries } = await lockHistory(session, parts.history);
  const said = (await readByUri(session, uris)).map((row) => ({ row, statement: statementOf(row) }));
  const described = new Set(said.map(({ statement }) => pinKey(statement.metadata)));
  const known = await readPins(session, subjects);
  const decided = decidedPins(subjects, decide, {
    get: (subject) => known.get(pinKey(subject)),
    isDescribed: (subject) => described.has(pinKey(subject)),
  });
  await storePins(session, decided);
  const shown = said.flatMap(({ row, statement }) => {
    const change = decided.get(pinKey(statement.metadata));
    const [before, after] = [shownPin(row), change && pinOf(change.pin, statement)];
    return !change || samePin(before, after) ? [] : [{ row, before, after }];
  });
  if (shown.length === 0) return undefined;
  await showPins(session, shown);
  const news = shown.filter(
    ({ row, before, after }) =>
      row.served &&
      isChanged(before) !== isChanged(after) &&
      locked.has(sourceName(row.kind, row.source_url)),
  );
  const since = Math.max(parts.now, head.since);
  const next = { ...head, revision: head.revision + 1, since };
  if (news.length === 0) return { head: moveHead(session, next), summaries };
  const statements = news.map(({ row }) => row);
  return tellAnew(session, { head: next, summaries }, statements, parts.now);
}

function statementOf({ standing, payload }: RankedStatement) {
  return { ...standingOf(standing), metadata: metadataOf(payload) };
}

function shownPin({ pin }: RankedStatement): Pin | undefined {
  return pin === null ? undefined : JSON.parse(pin);
}

/** Gives statements new positions; since when they are said stays. */
async function tellAnew(
  session: Transaction,
  { head, summaries }: Moved,
  statements: readonly RankedStatement[],
  now: number,
): Promise<Moved> {
  const changed_at = Math.max(now, head.changed_at);
  const last = new Map<string, number>();
  let { position } = head;
  for (const { uri, document, kind, source_url } of statements) {
    position += 1;
    last.set(sourceName(kind, source_url), position);
    await session.rows(
      `UPDATE registry.statement
       SET position = $3, changed_at = $4, is_update = true, said_at = coalesce(said_at, changed_at)
       WHERE uri = $1 AND document = $2`,
      [uri, document, position, changed_at],
    );
  }
  const moved = summaries.map((summary) => {
    const at = last.get(sourceName(summary.source.kind, summary.source.url));
    return at === undefined ? summary : { ...summary, position: at };
  });
  for (const { source, position: at } of moved.filter((summary, i) => summary !== summaries[i])) {
    await session.rows('UPDATE registry.source SET position = $3 WHERE kind = $1 AND url = $2', [
      source.kind,
      source.url,
      at,
    ]);
  }
  return moveTo(session, { head: { ...head, position }, summaries: moved }, now);
}

async function storePins(session: Session, decided: ReturnType<typeof decidedPins>): Promise<void> {
  const [kept, gone] = [
    [...decided.values()].flatMap(({ pin }) => pin ?? []),
    [...decided.values()].filter(({ pin }) => !pin),
  ];
  if (gone.length > 0) {
    await session.rows('DELETE FROM registry.pin WHERE key = ANY($1)', [
      gone.map(({ subject }) => pinRowKey(subject)),
    ]);
  }
  for (const some of portionsOf(kept)) {
    await session.rows(
      `INSERT INTO registry.pin (key, is_changed, value)
       SELECT n.key, n.is_changed, n.value FROM unnest($1::text[], $2::boolean[], $3::text[]) AS n (key, is_changed, value)
       ON CONFLICT (key) DO UPDATE SET is_changed = excluded.is_changed, value = excluded.value`,
      [
        some.map(pinRowKey),
        some.map(({ changedAt }) => changedAt !== undefined),
        some.map((pin) => JSON.stringify(pin)),
      ],
    );
  }
}

async function showPins(
  session: Session,
  shown: readonly { readonly row: RankedStatement; readonly after: Pin | undefined }[],
): Promise<void> {
  for (const some of portionsOf(shown)) {
    await session.rows(
      `UPDATE registry.statement AS s SET pin = n.pin
       FROM unnest($1::text[], $2::bigint[], $3::text[]) AS n (uri, document, pin)
       WHERE s.uri = n.uri AND s.document = n.document`,
      [
        some.map(({ row }) => row.uri),
        some.map(({ row }) => row.document),
        some.map(({ after }) => (after ? JSON.stringify(after) : null)),
      ],
    );
  }
}

/** Has changes of the sources of these statements wait until this transaction has ended; in one order, so that none wait for each other. */
async function lockSources(session: Session, statements: readonly RankedStatement[]): Promise<Set<string>> {
  const names = new Set(statements.map(({ kind, source_url }) => sourceName(kind, source_url)));
  if (names.size === 0) return names;
  await session.rows(
    `SELECT id FROM registry.source WHERE kind || ' ' || url = ANY($1) ORDER BY id FOR UPDATE`,
    [[...names]],
  );
  return names;
}

function sourceName(kind: string, url: string): string {
  return `${kind} ${url}`;
}
