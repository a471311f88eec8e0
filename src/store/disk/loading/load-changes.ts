import type { Source } from '../../../component/source.js';
import { sourceKey } from '../../../component/source.js';
import { DIGEST_DIGITS } from '../../../core/cursor.js';
import { HashChange, NO_HASHES, type SourceHashes, sourceSummary } from '../../../core/source-digests.js';
import { StatementHash } from '../../../core/statement-hash.js';
import type { LoadOptions } from '../../registry-store.js';
import { ChangeLog, type FeedRow, hashRows, type LoggedSource } from '../changes/change-log.js';
import { Tombstones } from '../changes/tombstones.js';
import { DamagedData } from '../database/damage.js';
import type { QuadStore, Row } from '../database/quad-store.js';
import { positionKey, readHashKey, readPositionKey, TABLES, type TombstoneRow } from '../database/tables.js';
import type { DiskSource, Sources } from '../disk-source.js';

/** While nothing can be answered yet, other work can wait a little longer, in ms. */
const SLICE_MS = 10;

type Options = Pick<LoadOptions, 'clock' | 'pace' | 'precedence'>;

/**
 * Reads what the feed needs. Where the data tells another state than the one that was recorded last, because an older
 * release has written it, or the ranks of sources or the rows have changed since, a new state begins.
 * @throws DamagedData
 */
export async function loadChangeLog(
  store: QuadStore,
  sources: Sources,
  networkRevision: number,
  options: Options,
): Promise<ChangeLog> {
  const tombstones = await readTombstones(store);
  const entries = sources
    .all()
    .flatMap(({ documents }) => [...documents.values()].flatMap((one) => one.entries));
  const highest = entries.reduce((most, { position }) => Math.max(most, position), 0);
  const known = await store.row<FeedRow>('meta', 'feed');
  const row = known ?? { position: highest, at: options.clock.now(), floor: highest, states: 0 };
  const { logged, rows } = await readSources(store, sources, row.position + 1, options);
  const parts = { entries, tombstones, networkRevision, precedence: options.precedence };
  const log = new ChangeLog({ ...parts, row, sources: logged });
  const digest = log.feed.digest.slice(0, DIGEST_DIGITS);
  const recorded = await store.row<string>('state', positionKey(row.position));
  if (known && recorded === digest && rows.length === 0) return log;
  const step = await log.step({ now: options.clock.now() }, options.pace());
  await store.write({ rows: [...rows, ...step.rows], durable: true });
  log.apply(step);
  return log;
}

async function readTombstones(store: QuadStore): Promise<Tombstones> {
  const tombstones = new Tombstones();
  const rows: [number, TombstoneRow][] = [];
  for await (const [key, row] of store.rows<TombstoneRow>('tombstone'))
    rows.push([readPositionKey(key), row]);
  tombstones.load(rows);
  return tombstones;
}

export interface StoredHashes {
  readonly source: Source;
  readonly hashes: Map<string, StatementHash>;
  position: number;
  rank: number;
}

/** The summaries of all sources; those whose rank or rows differ have changed at the position `next`. */
async function readSources(store: QuadStore, sources: Sources, next: number, options: Options) {
  const stored = await readHashes(store);
  const logged: LoggedSource[] = [];
  const rows: Row[] = [];
  for (const held of sources.all()) {
    const counts = countsOf(held);
    const known = stored.get(sourceKey(held.source));
    stored.delete(sourceKey(held.source));
    if (counts.size === 0 && !known) continue;
    const rank = options.precedence.rank(held.source);
    // What is said does not depend on its rank: another order of sources has nothing counted anew.
    const isCounted = known && hasCounts(known.hashes, counts);
    const hashes = isCounted ? known.hashes : await hashesOf(held, options);
    const isRight = isCounted && known.rank === rank;
    const position = isRight ? known.position : next;
    const one = {
      source: held.source,
      hashes,
      summary: sourceSummary(held.source, hashes, { rank, position }),
    };
    logged.push(one);
    if (isRight) continue;
    for (const of of known?.hashes.keys() ?? []) rows.push(TABLES.hash(held.source, of, undefined));
    rows.push(...hashRows(one, hashes, position));
  }
  for (const { source, hashes } of stored.values()) {
    for (const of of hashes.keys()) rows.push(TABLES.hash(source, of, undefined));
  }
  return { logged, rows };
}

/** The digests that were noted with the last change of each source, by its `sourceKey`. @throws DamagedData */
export async function readHashes(store: QuadStore): Promise<Map<string, StoredHashes>> {
  const stored = new Map<string, StoredHashes>();
  for await (const page of store.texts('hash')) {
    for (const [key, text] of page) {
      const { source, of } = readHashKey(key);
      const [position = '', rank = '', ...rest] = text.split(' ');
      const hash = StatementHash.parse(rest.join(' '));
      if (!hash) throw new DamagedData(store.place, `the digest of ${sourceKey(source)} cannot be read`);
      const known = stored.get(sourceKey(source)) ?? { source, hashes: new Map(), position: 0, rank: 0 };
      known.hashes.set(of, hash);
      known.position = Math.max(known.position, Number(position));
      known.rank = Number(rank);
      stored.set(sourceKey(source), known);
    }
  }
  return stored;
}

/** How many statements there are, by `DocumentRecord.of`. */
function countsOf({ documents }: DiskSource): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { record, entries } of documents.values()) {
    const of = record.of ?? '';
    if (entries.length > 0) counts.set(of, (counts.get(of) ?? 0) + entries.length);
  }
  return counts;
}

function hasCounts(hashes: SourceHashes, counts: ReadonlyMap<string, number>): boolean {
  return hashes.size === counts.size && [...hashes].every(([of, { count }]) => counts.get(of) === count);
}

async function hashesOf({ documents }: DiskSource, { pace }: Options): Promise<SourceHashes> {
  const change = new HashChange(NO_HASHES);
  const breathe = pace(SLICE_MS);
  for (const [url, { record, entries }] of documents) {
    for (const { metadata } of entries) {
      change.add(record.of ?? '', url, metadata);
      await breathe();
    }
  }
  return change.all;
}
