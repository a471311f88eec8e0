import type { Pin } from '../../../component/pin.js';
import { isOfSource, type Source, type SourceKind, sourceKey } from '../../../component/source.js';
import type { UnknownState } from '../../../core/feed-window.js';
import { unknownState } from '../../../core/feed-window.js';
import { newsOf } from '../../../core/pins.js';
import { summariesFor } from '../../../core/source-digests.js';
import type { Changes, ChangesRequest, StatementChange } from '../../../registry/changes.js';
import type { State } from '../../../registry/state.js';
import type { Session } from '../connection/session.js';
import { orderKeyFrom, textHash } from '../order-key.js';
import { metadataOf } from '../payload.js';

/** A part of the changes, as of the state that is given; all is read from one session. */
export async function changesIn(
  session: Session,
  state: State,
  request: ChangesRequest,
): Promise<Changes | UnknownState> {
  const { since, limit } = request;
  const unknown = since && unknownState(since, state, await digestAt(session, since.position));
  if (unknown) return unknown;
  const window = await windowOf(session, state, request);
  const found = [
    ...(await statementsIn(session, request, window)),
    ...(await removalsIn(session, request, window)),
  ];
  found.sort((one, other) => one.position - other.position);
  const changes = found.slice(0, limit);
  const last = changes.length < found.length ? changes.at(-1)?.position : window.next;
  return {
    state,
    changes,
    next: last,
    sources: summariesFor(state.feed.sources, request),
  };
}

/** Changes that are looked through at a time for those of some sources. */
const WINDOW = 10_000;

/** Positions in which is looked for changes. `next`: there may be some behind them. */
interface Window {
  readonly until: number;
  readonly next?: number;
}

const LAST_OF_WINDOW = `SELECT least(
    (SELECT s.position FROM registry.statement AS s WHERE s.position > $1 ORDER BY s.position OFFSET $2 LIMIT 1),
    (SELECT t.position FROM registry.tombstone AS t WHERE t.position > $1 ORDER BY t.position OFFSET $2 LIMIT 1)
  ) AS position`;

/** Who asks for the changes of some sources has those of all others passed over: of very many, only some at a time. */
async function windowOf(session: Session, { feed }: State, request: ChangesRequest): Promise<Window> {
  const { since, after = since?.position ?? 0, removals = false, uri, source, kinds } = request;
  const { position } = feed;
  if (uri !== undefined || (!source && !kinds)) return { until: position };
  const [last] = await session.rows<{ position: number | null }>(LAST_OF_WINDOW, [after, WINDOW - 1]);
  const until = last?.position ?? position;
  const wanted = feed.sources.filter((summary) => isOfSource(summary.source, request));
  // The summary of a source has the position of its latest change.
  const isOver = !since && !removals && wanted.every((summary) => summary.position <= until);
  return isOver || until >= position ? { until } : { until, next: until };
}

async function digestAt(session: Session, position: number): Promise<string | undefined> {
  const [row] = await session.rows<{ digest: string }>(
    'SELECT digest FROM registry.state WHERE position = $1',
    [position],
  );
  return row?.digest;
}

interface StatementRow {
  readonly position: number;
  readonly at: number;
  readonly said_at: number | null;
  readonly kind: SourceKind;
  readonly url: string;
  readonly document: string;
  readonly rank: number;
  readonly source_rank: number;
  /** Is it said by another one than the source of which it is stored? */
  readonly is_mirrored: boolean;
  readonly payload: string;
  readonly is_update: boolean;
  readonly pin: string | null;
}

/** Statements after a position, one more than are wanted: so it shows whether there are more. */
async function statementsIn(
  session: Session,
  request: ChangesRequest,
  { until }: Window,
): Promise<StatementChange[]> {
  const { since, after = since?.position ?? 0, uri, source, kinds, limit } = request;
  const values: unknown[] = [after, limit + 1, until];
  const add = (value: unknown) => `$${values.push(value)}`;
  const only = [
    ...(uri === undefined ? [] : [`s.uri = ${add(orderKeyFrom(uri))}`]),
    ...(source ? [`s.source = (SELECT id FROM registry.source WHERE key = ${add(keyOf(source))})`] : []),
    ...(kinds ? [`s.source IN (SELECT id FROM registry.source WHERE kind = ANY(${add(kinds)}))`] : []),
  ];
  const rows = await session.rows<StatementRow>(
    `SELECT s.position, s.changed_at AS at, s.said_at, r.kind, r.url, d.url AS document, d.rank, r.rank AS source_rank,
       (d.said_kind <> r.kind OR d.said_by <> r.url) AS is_mirrored, s.payload, s.is_update, s.pin
     FROM (
       SELECT * FROM registry.statement AS s
       WHERE ${[...only, 's.position > $1', 's.position <= $3'].join(' AND ')} ORDER BY s.position LIMIT $2
     ) AS s
     JOIN registry.document AS d ON d.id = s.document
     JOIN registry.source AS r ON r.id = s.source
     ORDER BY s.position`,
    values,
  );
  return rows.map(({ kind, url, payload, is_update, said_at, pin, source_rank, is_mirrored, ...row }) => {
    const metadata = metadataOf(payload);
    const rank = row.rank - (is_mirrored ? 0 : source_rank);
    const said = { ...row, rank, source: { kind, url }, uri: metadata.uri, metadata, isUpdate: is_update };
    const told = pin === null ? undefined : newsOf(JSON.parse(pin) as Pin);
    return { ...said, since: said_at ?? undefined, pin: told };
  });
}

interface TombstoneRow {
  readonly position: number;
  readonly at: number;
  readonly kind: SourceKind;
  readonly url: string;
  readonly document: string;
  readonly full_uri: string;
}

async function removalsIn(
  session: Session,
  request: ChangesRequest,
  { until }: Window,
): Promise<StatementChange[]> {
  const { since, after = since?.position ?? 0, removals = false, uri, source, kinds, limit } = request;
  if (!since && !removals) return [];
  const values: unknown[] = [Math.max(after, since?.position ?? 0), limit + 1, until];
  const add = (value: unknown) => `$${values.push(value)}`;
  const only = [
    ...['position > $1', 'position <= $3'],
    ...(uri === undefined ? [] : [`uri = ${add(orderKeyFrom(uri))}`]),
    ...(source ? [`kind = ${add(source.kind)} AND url = ${add(source.url)}`] : []),
    ...(kinds ? [`kind = ANY(${add(kinds)})`] : []),
  ];
  const rows = await session.rows<TombstoneRow>(
    `SELECT position, changed_at AS at, kind, url, document, full_uri FROM registry.tombstone
     WHERE ${only.join(' AND ')} ORDER BY position LIMIT $2`,
    values,
  );
  return rows.map(({ kind, url, full_uri, ...row }) => ({ ...row, source: { kind, url }, uri: full_uri }));
}

function keyOf(source: Source): string {
  return textHash(sourceKey(source));
}
