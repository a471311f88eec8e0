import type { Quad } from '@rdfjs/types';
import { DataFactory } from 'n3';
import type { Removal } from '../catalog/documents.js';
import { itemOf } from '../catalog/edited.js';
import { documentKey } from '../catalog/entry.js';
import type { Source } from '../component/source.js';
import type { Vocabulary } from '../component/vocabulary.js';
import { listingText } from '../component/writing/listing-text.js';
import { storedQuads } from '../component/writing/metadata-quads.js';
import type { DocumentRecord } from '../core/document-record.js';
import type { HashChange } from '../core/source-digests.js';
import type { SourceRecord } from '../core/source-record.js';
import type { Keep, Row, Writes } from '../keep/keep.js';
import type { Clock } from '../lib/clock.js';
import type { LogTo } from '../lib/log.js';
import type { Breather, Pace } from '../lib/pace.js';
import { type CommitContents, type DocumentRow, NO_CONTENTS, type StatementRow } from './commit-contents.js';
import type { Step } from './difference.js';
import { graphName } from './graph-name.js';
import type { HeldSource } from './held.js';
import type { RegistryData } from './registry-data.js';
import { documentRowKey, hashRowKey, sourceRowKey, statementRowKey } from './row-keys.js';
import { removalRows, sealedRows } from './rows.js';

/** What every commit is made with. */
export interface RegistryParts {
  readonly keep: Keep;
  readonly data: RegistryData;
  readonly clock: Clock;
  readonly pace: Pace;
  readonly log: LogTo<'warn'>;
}

/** A commit that is worked out, but for where the registry stands afterwards. */
export interface PreparedCommit {
  readonly contents: CommitContents;
  /** Those of statements and removals, and of whatever is no part of the contents. */
  readonly rows: readonly Row[];
  readonly quads?: Writes['quads'];
  /** How many positions it gives; absent where readers are shown nothing new. */
  readonly positions?: number | undefined;
}

export const NOTHING: PreparedCommit = { contents: NO_CONTENTS, rows: [] };

/** A source as a commit leaves it. */
export interface SourceAfter {
  /** As it is before. */
  readonly held: HeldSource;
  /** Undefined when nothing is left of the source, and nothing to be remembered. */
  readonly record: SourceRecord | undefined;
  readonly hashes: HashChange;
}

/**
 * The rows of a source that differ.
 * @param seals of the rows of its statements, together
 * @param position of the latest change of its summary
 */
export function sourceRows(
  { held: { source, rank }, record, hashes: { changed, all } }: SourceAfter,
  seals: number,
  position: number,
): Pick<CommitContents, 'sources' | 'hashes'> {
  const hashes = [...changed.keys()].map((of) => {
    const hash = all.get(of);
    return [hashRowKey(source, of), hash && { source, of, hash }] as const;
  });
  const row = record && { source, record, rank, position, seals };
  return { sources: new Map([[sourceRowKey(source), row]]), hashes: new Map(hashes) };
}

/**
 * Gives positions to steps, and works out the rows of their statements and sources. Gives way to other work.
 * @param sources all those that the steps are about
 */
export async function preparedCommit(
  steps: readonly Step[],
  sources: readonly SourceAfter[],
  { data, clock, pace }: RegistryParts,
): Promise<PreparedCommit> {
  const { catalog } = data;
  const { meta } = data.now;
  const breathe = pace();
  const at = Math.max(clock.now(), meta.at);
  const placed = steps.filter(({ kind }) => kind !== 'kept');
  const seals = new Map(sources.map(({ held }) => [sourceRowKey(held.source), held.seals]));
  const addSeal = (source: Source, seal: number) => {
    const key = sourceRowKey(source);
    seals.set(key, (seals.get(key) ?? 0) + seal);
  };
  const said: StatementRow[] = [];
  const removals: Removal[] = [];
  const gone: string[] = [];
  for (const [i, { source, document, uri, kind, before, after }] of placed.entries()) {
    const place = { source, document, position: meta.position + 1 + i, at };
    await breathe();
    if (before) addSeal(source, -before.seal);
    if (!after) {
      removals.push({ ...place, uri });
      continue;
    }
    const listed = listingText(after, catalog.naming.vocabulary);
    const since = kind === 'told' ? { since: before?.since } : {};
    said.push({ ...place, listed, isUpdate: kind !== 'added', ...since });
    const key = documentKey(place);
    if (kind === 'added' && itemOf(catalog.document(key).removed, uri)) gone.push(statementRowKey(uri, key));
  }
  const { statements, rows } = await sealedRows(said, breathe);
  for (const { source, seal } of statements) addSeal(source, seal);
  const isShown = placed.length > 0 || sources.some(({ hashes }) => hashes.changed.size > 0);
  const positions = isShown ? Math.max(placed.length, 1) : undefined;
  const changed = sources.map((one) => {
    const { source, position } = one.held;
    const moved = positions === undefined ? position : meta.position + positions;
    return sourceRows(one, seals.get(sourceRowKey(source)) ?? 0, moved);
  });
  const contents: CommitContents = {
    ...NO_CONTENTS,
    ...{ statements, removals, gone },
    sources: new Map(changed.flatMap((one) => [...one.sources])),
    hashes: new Map(changed.flatMap((one) => [...one.hashes])),
  };
  return { contents, rows: [...rows, ...(await removalRows(removals, breathe))], positions };
}

/** What is remembered of documents from now on, as rows. */
export function documentRows(
  source: Source,
  records: Iterable<readonly [document: string, record: DocumentRecord | null]>,
): CommitContents['documents'] {
  const rows = new Map<string, DocumentRow | undefined>();
  for (const [document, record] of records) {
    const key = documentRowKey(documentKey({ source, document }));
    rows.set(key, record === null ? undefined : { source, document, record });
  }
  return rows;
}

/** What steps change of the quads, which may still be those of former vocabularies. Gives way to other work. */
export async function quadsOf(
  steps: readonly Step[],
  [vocabulary, ...former]: readonly [Vocabulary, ...Vocabulary[]],
  breathe: Breather,
): Promise<NonNullable<PreparedCommit['quads']>> {
  const quads = { remove: [] as Quad[], put: [] as Quad[] };
  for (const { source, document, kind, before, after } of steps) {
    if (kind === 'kept' || kind === 'moved') continue;
    const graph = DataFactory.namedNode(graphName(source, document));
    const said = before?.metadata;
    if (said) for (const one of [vocabulary, ...former]) quads.remove.push(...storedQuads(said, one, graph));
    if (after) quads.put.push(...storedQuads(after, vocabulary, graph));
    await breathe();
  }
  return quads;
}
