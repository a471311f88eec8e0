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
import type { SourceSummary } from '../core/source-digests.js';
import type { Keep, Row, Writes } from '../keep/keep.js';
import type { Clock } from '../lib/clock.js';
import type { LogTo } from '../lib/log.js';
import type { Breather, Pace } from '../lib/pace.js';
import { type CommitContents, type DocumentRow, NO_CONTENTS, type StatementRow } from './commit-contents.js';
import type { Step } from './difference.js';
import { graphName } from './graph-name.js';
import type { RegistryData } from './registry-data.js';
import { documentRowKey, sourceRowKey, statementRowKey } from './row-keys.js';
import { removalRows, sealedRows } from './rows.js';
import type { SourceAfter } from './source-after.js';

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
  /** Absent where readers are shown nothing new. */
  readonly change?: StateChange;
}

/** How the state that readers see changes. */
export interface StateChange {
  readonly position: number;
  /** Of the positions that are given, ms since the Unix epoch. */
  readonly at: number;
  /** Those that change, by the key of the source's row. */
  readonly summaries: ReadonlyMap<string, SourceSummary | undefined>;
  /** Which revision moves; the descriptions' when absent. */
  readonly revision?: 'network';
}

export const NOTHING: PreparedCommit = { contents: NO_CONTENTS, rows: [] };

/** A change of the state that gives so many positions. */
export function stateChange(
  { data, clock }: Pick<RegistryParts, 'data' | 'clock'>,
  positions: number,
  more: Partial<Pick<StateChange, 'summaries' | 'revision'>> = {},
): StateChange {
  const { meta } = data;
  const at = Math.max(clock.now(), meta.at);
  return { position: meta.position + positions, at, summaries: new Map(), ...more };
}

/**
 * Gives positions to steps, and works out the rows of their statements and sources. Gives way to other work.
 * @param sources all those that the steps are about
 */
export async function preparedCommit(
  steps: readonly Step[],
  sources: readonly SourceAfter[],
  parts: RegistryParts,
): Promise<PreparedCommit> {
  const { meta, catalog } = parts.data;
  const breathe = parts.pace();
  const { at } = stateChange(parts, 0);
  const placed = steps.filter(({ kind }) => kind !== 'kept');
  const said: StatementRow[] = [];
  const removals: Removal[] = [];
  const gone: string[] = [];
  for (const [i, { source, document, uri, kind, before, after }] of placed.entries()) {
    const place = { source, document, position: meta.position + 1 + i, at };
    await breathe();
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
  const seals = new Map(statements.map(({ position, seal }) => [position, seal]));
  const after = new Map(sources.map((one) => [one.key, one]));
  let position = meta.position;
  for (const step of steps) {
    const { kind, before, of } = step;
    const source = after.get(sourceRowKey(step.source));
    if (kind !== 'kept') position += 1;
    const seal = kind === 'kept' ? before?.seal : seals.get(position);
    if (before) source?.addSeal(of.before, -before.seal);
    if (seal !== undefined) source?.addSeal(of.after, seal);
    await breathe();
  }
  const isShown = placed.length > 0 || sources.some(({ isRehashed }) => isRehashed);
  if (isShown) position = Math.max(position, meta.position + 1);
  const changed = sources.map((one) => one.rows(isShown ? position : undefined));
  const contents: CommitContents = {
    ...NO_CONTENTS,
    ...{ statements, removals, gone },
    sources: new Map(changed.flatMap((one) => [...one.sources])),
    hashes: new Map(changed.flatMap((one) => [...one.hashes])),
  };
  const prepared = { contents, rows: [...rows, ...(await removalRows(removals, breathe))] };
  const summaries = new Map(sources.map((one) => [one.key, one.summary(position)]));
  return isShown ? { ...prepared, change: { position, at, summaries } } : prepared;
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
