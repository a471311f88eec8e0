import type { Pin } from '../../../component/pin.js';
import { type Source, type SourceKind, sourceKey } from '../../../component/precedence.js';
import type { Changes, ChangesRequest, StatementChange, UnknownState } from '../../../registry/changes.js';
import { linesOfKinds } from '../../../registry/feed.js';
import type { State } from '../../../registry/state.js';
import { unknownState } from '../../feed/unknown-state.js';
import type { Session } from '../connection/session.js';
import { orderKeyFrom, textHash } from '../order-key.js';
import { metadataOf } from '../payload.js';

/** A part of the changes, as of the state that is given; all is read from one session. */
export async function changesIn(
  session: Session,
  state: State,
  request: ChangesRequest,
): Promise<Changes | UnknownState> {
  const { since, kinds, limit } = request;
  const unknown = since && unknownState(since, state, await digestAt(session, since.position));
  if (unknown) return unknown;
  const found = [...(await statementsIn(session, request)), ...(await removalsIn(session, request))];
  found.sort((one, other) => one.position - other.position);
  const changes = found.slice(0, limit);
  const last = changes.at(-1)?.position;
  const lines = linesOfKinds(state.feed.sources, kinds);
  return {
    ...{ state, changes },
    ...(changes.length < found.length && last !== undefined ? { next: last } : {}),
    sources: since ? lines.filter(({ position }) => position > since.position) : lines,
  };
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
async function statementsIn(session: Session, request: ChangesRequest): Promise<StatementChange[]> {
  const { since, after = since?.position ?? 0, uri, source, kinds, limit } = request;
  const values: unknown[] = [after, limit + 1];
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
       WHERE ${[...only, 's.position > $1'].join(' AND ')} ORDER BY s.position LIMIT $2
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
    return { ...said, ...(said_at === null ? {} : { since: said_at }), ...changedPin(pin) };
  });
}

/** Bytes that are what they were are no news. */
function changedPin(text: string | null): Pick<StatementChange, 'pin'> {
  const pin = text === null ? undefined : (JSON.parse(text) as Pin);
  return pin?.changed === undefined ? {} : { pin };
}

interface TombstoneRow {
  readonly position: number;
  readonly at: number;
  readonly kind: SourceKind;
  readonly url: string;
  readonly document: string;
  readonly full_uri: string;
}

async function removalsIn(session: Session, request: ChangesRequest): Promise<StatementChange[]> {
  const { since, after = since?.position ?? 0, removals = false, uri, source, kinds, limit } = request;
  if (!since && !removals) return [];
  const values: unknown[] = [Math.max(after, since?.position ?? 0), limit + 1];
  const add = (value: unknown) => `$${values.push(value)}`;
  const only = [
    'position > $1',
    ...(uri === undefined ? [] : [`uri = ${add(orderKeyFrom(uri))}`]),
    ...(source ? [`kind = ${add(source.kind)} AND url = ${add(source.url)}`] : []),
    ...(kinds ? [`kind = ANY(${add(kinds)})`] : []),
  ];
  const rows = await session.rows<TombstoneRow>(
    `SELECT position, changed_at AS at, kind, url, document, full_uri FROM registry.tombstone
     WHERE ${only.join(' AND ')} ORDER BY position LIMIT $2`,
    values,
  );
  return rows.map(({ kind, url, full_uri, ...row }) => ({
    ...row,
    source: { kind, url },
    uri: full_uri,
  }));
}

function keyOf(source: Source): string {
  return textHash(sourceKey(source));
}
