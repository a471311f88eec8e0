import { LOCAL, type Source, sameSource, sourceKey } from '../component/source.js';
import type { Precedence } from '../core/precedence.js';
import { HashChange, NO_HASHES, type SourceSummary, sourceSummary } from '../core/source-digests.js';
import { KeepUnusable } from '../keep/faults.js';
import type { Clock } from '../lib/clock.js';
import type { LogTo } from '../lib/log.js';
import type { Breather } from '../lib/pace.js';
import { unread } from './document-record.js';
import {
  type DocumentRow,
  type Effects,
  type HashRow,
  NO_EFFECTS,
  type Serving,
  type SourceRow,
} from './effects.js';
import type { HeldSource } from './held.js';
import type { Loaded, Loss } from './load.js';
import type { Draft } from './numbering.js';
import type { RegistryData } from './registry-data.js';
import { documentRowKey, hashRowKey, sourceRowKey } from './row-keys.js';
import { SCHEMA } from './rows.js';

/** Are answers made in the same way? */
export function showsTheSame(one: Serving | undefined, other: Serving): boolean {
  const text = (serving: Serving) => {
    const { baseUrl, namespace, servedAs, order } = serving;
    return JSON.stringify([baseUrl, namespace, servedAs, order.pods, order.peers]);
  };
  return one !== undefined && text(one) === text(other);
}

/** With the vocabularies in which quads may still be written when this follows the other. */
export function following(before: Serving | undefined, own: Omit<Serving, 'former'>): Serving {
  if (!before) return { ...own, former: [] };
  const others = [...before.former, before.namespace].filter((namespace) => namespace !== own.namespace);
  const former = before.namespace === own.namespace ? before.former : [...new Set(others)];
  return { ...own, former };
}

/** @throws KeepUnusable for what other software has written */
export function refuseOtherSchema({ meta }: Partial<Pick<Loaded, 'meta'>>): void {
  if (!meta || meta.schema === SCHEMA) return;
  throw new KeepUnusable(
    `The stored data has schema version ${meta.schema}, and this software knows ${SCHEMA} alone; start the version that wrote it, and import its export into an empty place`,
  );
}

/** What a start changes, so that what is stored is shown as it is configured; `undefined` when nothing has to change. */
export function adjustment(
  data: RegistryData,
  own: Serving,
  { precedence, clock, isNew }: { precedence: Precedence; clock: Clock; isNew: boolean },
): Draft | undefined {
  const isSame = !isNew && showsTheSame(data.serving, own);
  const position = data.meta.position + 1;
  const sources = new Map<string, SourceRow>();
  const summaries = new Map<string, SourceSummary>();
  for (const { source, record, rank: before, summary } of data.held.all()) {
    const rank = precedence.rank(source);
    if (!summary || rank === before) continue;
    const key = sourceRowKey(source);
    sources.set(key, { source, record, rank, position });
    summaries.set(key, { ...summary, rank, position });
  }
  if (isSame && sources.size === 0) return undefined;
  const isMoved = isNew || sources.size > 0;
  const at = Math.max(clock.now(), data.meta.at);
  const move = { position: isMoved ? position : data.meta.position, at, summaries };
  return { effects: { ...NO_EFFECTS, serving: own, sources }, rows: [], move };
}

/**
 * What makes a source be read again whole, of which other statements are stored than have been: what there is counts, and nothing
 * is remembered that would keep its documents from being read. What was posted to the node itself stays as it is.
 */
export async function recovery(
  data: RegistryData,
  { source }: Loss,
  { precedence, clock, breathe }: { precedence: Precedence; clock: Clock; breathe: Breather },
): Promise<Draft> {
  const held = data.held.source(source);
  const position = data.meta.position + 1;
  const rank = precedence.rank(source);
  const documents = new Map<string, DocumentRow>();
  const hashes = new HashChange(NO_HASHES);
  const seals = new Map<string, number>();
  for (const { document, said } of data.catalog.documentsOf(source)) {
    const record = unread(held?.documents.get(document)?.record ?? {});
    const of = record.of ?? '';
    for (const entry of said) {
      hashes.add(of, document, entry.metadata);
      seals.set(of, (seals.get(of) ?? 0) + entry.seal);
      await breathe();
    }
    documents.set(documentRowKey(`${sourceKey(source)} ${document}`), { source, document, record });
  }
  for (const [document, { record }] of held?.documents ?? [])
    documents.set(documentRowKey(`${sourceKey(source)} ${document}`), {
      ...{ source, document },
      record: unread(record),
    });
  const row = { source, record: forgettingCursor(source, held), rank, position };
  const summary = sourceSummary(source, hashes.all, { rank, position });
  const effects: Effects = {
    ...NO_EFFECTS,
    documents,
    hashes: hashRows(source, hashes, held, seals),
    sources: new Map([[sourceRowKey(source), row]]),
  };
  const at = Math.max(clock.now(), data.meta.at);
  return { effects, rows: [], move: { position, at, summaries: new Map([[sourceRowKey(source), summary]]) } };
}

/** What makes sources be read again whole, whatever is stored of them; the node itself stays as it is. */
export function readingAgain(all: Iterable<HeldSource>): Draft {
  const documents = new Map<string, DocumentRow>();
  const sources = new Map<string, SourceRow>();
  for (const held of all) {
    const { source, rank, position } = held;
    if (sameSource(source, LOCAL)) continue;
    sources.set(sourceRowKey(source), { source, record: forgettingCursor(source, held), rank, position });
    for (const [document, { record }] of held.documents)
      documents.set(documentRowKey(`${sourceKey(source)} ${document}`), {
        ...{ source, document },
        record: unread(record),
      });
  }
  return { effects: { ...NO_EFFECTS, documents, sources }, rows: [] };
}

function hashRows(
  source: Source,
  { all }: HashChange,
  held: HeldSource | undefined,
  seals: ReadonlyMap<string, number>,
): Map<string, HashRow | undefined> {
  const rows = new Map<string, HashRow | undefined>();
  for (const of of held?.hashes.keys() ?? []) rows.set(hashRowKey(source, of), undefined);
  for (const [of, hash] of all)
    rows.set(hashRowKey(source, of), { source, of, hash, seals: seals.get(of) ?? 0 });
  return rows;
}

/** What the operator has decided is remembered of the node itself. */
function forgettingCursor(source: Source, held: HeldSource | undefined): SourceRow['record'] {
  const record = held?.record ?? { failures: 0 };
  if (sameSource(source, LOCAL)) return record;
  const { memo: _memo, ...others } = record;
  return others;
}

export function tellLoss({ source, expected, found }: Loss, log: LogTo<'warn'>): void {
  const { kind, url } = source;
  const remedy = sameSource(source, LOCAL)
    ? 'what was posted to this node and is not listed any more has to be posted again, unless it is restored now'
    : 'it is read again whole';
  log.warn(
    { kind, source: url, expected, found },
    `the stored statements of this source are not those that were written: ${remedy}; if this is said again, run repair`,
  );
}
