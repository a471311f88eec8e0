import { pinKey, samePin, shownPin } from '../../../component/pin.js';
import type { StoredPin } from '../../../registry/pins.js';
import type { Session } from '../connection/session.js';
import { orderKey } from '../order-key.js';
import { metadataOf } from '../payload.js';
import { portionsOf } from '../portions-of.js';
import { moveHead } from './head.js';
import { type History, lockHistory, type Moved, moveTo } from './history.js';
import { type RankedStatement, readByUri } from './statements.js';
import { pinRowKey, readPins } from './stored-pins.js';

const ROWS = 2_000;

export interface PinsParts {
  /** ms since the Unix epoch. */
  readonly now: number;
  readonly history: History;
}

/**
 * Remembers pins, and puts them beside the statements that they belong to; `undefined` when readers see the same as before.
 * Sources are locked before the head, as commits do it.
 */
export async function setPins(
  session: Session,
  pins: readonly StoredPin[],
  parts: PinsParts,
): Promise<Moved | undefined> {
  const uris = [...new Set(pins.map(({ uri }) => orderKey(uri)))];
  const locked = await lockSources(session, await readByUri(session, uris));
  const { head, lines } = await lockHistory(session, parts.history);
  const before = await readPins(session, pins);
  await storePins(session, pins);
  const moved = new Map(
    pins.filter((pin) => !samePin(before.get(pinKey(pin)), pin)).map((pin) => [pinKey(pin), pin]),
  );
  if (moved.size === 0) return undefined;
  const shown = (await readByUri(session, uris)).flatMap((statement) => {
    const pin = moved.get(pinKey(metadataOf(statement.payload)));
    return pin ? [{ statement, pin }] : [];
  });
  await showPins(session, shown);
  const news = shown.filter(
    ({ statement, pin }) =>
      statement.served &&
      (before.get(pinKey(pin))?.changed === undefined) !== (pin.changed === undefined) &&
      locked.has(sourceName(statement.kind, statement.source_url)),
  );
  const since = Math.max(parts.now, head.since);
  const next = { ...head, revision: head.revision + 1, since };
  if (news.length === 0) return { head: await moveHead(session, next), lines };
  const statements = news.map(({ statement }) => statement);
  return sayAnew(session, { head: next, lines }, statements, parts.now);
}

/** Gives statements new positions, as if they had been said again. */
async function sayAnew(
  session: Session,
  { head, lines }: Moved,
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
      `UPDATE registry.statement SET position = $3, changed_at = $4, is_update = true
       WHERE uri = $1 AND document = $2`,
      [uri, document, position, changed_at],
    );
  }
  const moved = lines.map((line) => {
    const at = last.get(sourceName(line.source.kind, line.source.url));
    return at === undefined ? line : { ...line, position: at };
  });
  for (const { source, position: at } of moved.filter((line, i) => line !== lines[i])) {
    await session.rows('UPDATE registry.source SET position = $3 WHERE kind = $1 AND url = $2', [
      source.kind,
      source.url,
      at,
    ]);
  }
  return moveTo(session, { head: { ...head, position }, lines: moved }, now);
}

async function storePins(session: Session, pins: readonly StoredPin[]): Promise<void> {
  const distinct = [...new Map(pins.map((pin) => [pinKey(pin), pin])).values()];
  for (const some of portionsOf(distinct, ROWS)) {
    await session.rows(
      `INSERT INTO registry.pin (key, is_changed, value)
       SELECT n.key, n.is_changed, n.value FROM unnest($1::text[], $2::boolean[], $3::text[]) AS n (key, is_changed, value)
       ON CONFLICT (key) DO UPDATE SET is_changed = excluded.is_changed, value = excluded.value`,
      [
        some.map(pinRowKey),
        some.map(({ changed }) => changed !== undefined),
        some.map((pin) => JSON.stringify(pin)),
      ],
    );
  }
}

async function showPins(
  session: Session,
  shown: readonly { readonly statement: RankedStatement; readonly pin: StoredPin }[],
): Promise<void> {
  for (const some of portionsOf(shown, ROWS)) {
    await session.rows(
      `UPDATE registry.statement AS s SET pin = n.pin
       FROM unnest($1::text[], $2::bigint[], $3::text[]) AS n (uri, document, pin)
       WHERE s.uri = n.uri AND s.document = n.document`,
      [
        some.map(({ statement }) => statement.uri),
        some.map(({ statement }) => statement.document),
        some.map(({ pin }) => JSON.stringify(shownPin(pin))),
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
