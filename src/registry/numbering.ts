import type { Quad } from '@rdfjs/types';
import { DataFactory } from 'n3';
import type { DocumentStatements, Removal } from '../catalog/documents.js';
import { itemOf } from '../catalog/edited.js';
import { documentKey } from '../catalog/entry.js';
import type { Metadata } from '../component/metadata.js';
import type { Source } from '../component/source.js';
import type { Vocabulary } from '../component/vocabulary.js';
import { storedQuads } from '../component/writing/metadata-quads.js';
import { type SourceSummary, sourceSummary } from '../core/source-digests.js';
import type { Row } from '../keep/keep.js';
import type { Breather } from '../lib/pace.js';
import {
  type CommitContents,
  type DocumentRow,
  type HashRow,
  type Meta,
  NO_CONTENTS,
  type StatementRow,
} from './commit-contents.js';
import type { DocumentStep, Portion } from './difference.js';
import { graphName } from './graph-name.js';
import type { HeldSource } from './held.js';
import { documentRowKey, hashRowKey, sourceRowKey, statementRowKey } from './row-keys.js';
import { removalRows, sealedRows } from './rows.js';
import type { SourceRecord } from './source-record.js';

/** A commit that is worked out, but for where the registry stands afterwards. */
export interface Draft {
  readonly effects: CommitContents;
  /** The rows of the statements. */
  readonly rows: readonly Row[];
  readonly quads?: { readonly remove: readonly Quad[]; readonly put: readonly Quad[] };
  /** Absent where readers are shown nothing new. */
  readonly move?: Move;
}

/** How the state moves. */
export interface Move {
  readonly position: number;
  /** Of the positions that are given, ms since the Unix epoch. */
  readonly at: number;
  /** Those that change, by the key of the source's row. */
  readonly summaries: ReadonlyMap<string, SourceSummary | undefined>;
  /** Which revision moves; the descriptions' when absent. */
  readonly revision?: 'network';
}

export interface NumberingParts {
  readonly meta: Meta;
  readonly held: HeldSource;
  readonly record: SourceRecord;
  /** Is nothing left of the source afterwards, and nothing to be remembered? */
  readonly isForgotten: boolean;
  readonly now: number;
  /** What a document says, by `documentKey`. */
  readonly statements: (key: string) => DocumentStatements;
  readonly quads: QuadWriting | undefined;
  readonly breathe: Breather;
}

/** How quads are written; quads of former vocabularies may be there, too. */
export interface QuadWriting {
  readonly vocabulary: Vocabulary;
  readonly former: readonly Vocabulary[];
}

/** Gives positions to what a portion changes, and works out rows and quads. Gives way to other work. */
export async function numbered(portion: Portion, parts: NumberingParts): Promise<Draft> {
  const { meta, held, record, isForgotten, now, statements, breathe } = parts;
  const { source, steps, hashes } = portion;
  const at = Math.max(now, meta.at);
  const said: StatementRow[] = [];
  const removals: Removal[] = [];
  const gone: string[] = [];
  let { position } = meta;
  for (const { document, uri, step, after } of steps) {
    await breathe();
    if (step.kind === 'kept') continue;
    position += 1;
    const place = { source: held.source, document, position, at };
    if (!after) {
      removals.push({ ...place, uri });
      continue;
    }
    said.push({ ...place, metadata: after, isUpdate: step.kind !== 'added' });
    const key = documentKey(place);
    if (step.kind === 'added' && itemOf(statements(key).removed, uri)) gone.push(statementRowKey(uri, key));
  }
  const sealed = await sealedRows(said, breathe);
  const isMoved = position > meta.position || hashes.changed.size > 0;
  if (isMoved) position = Math.max(position, meta.position + 1);
  const row = { source: held.source, record, rank: held.rank, position: isMoved ? position : held.position };
  const key = sourceRowKey(source);
  const summary = sourceSummary(held.source, hashes.all, row);
  const effects: CommitContents = {
    ...NO_CONTENTS,
    statements: sealed.statements,
    removals,
    gone,
    sources: new Map([[key, isForgotten ? undefined : row]]),
    documents: documentRows(held.source, portion.documents),
    hashes: await hashRows(portion, { held, said: sealed.statements, statements, breathe }),
  };
  const quads = parts.quads && (await quadsOf(source, steps, parts.quads, breathe));
  return {
    effects,
    rows: [...sealed.rows, ...(await removalRows(removals, breathe))],
    ...(quads ? { quads } : {}),
    ...(isMoved ? { move: { position, at, summaries: new Map([[key, summary]]) } } : {}),
  };
}

function documentRows(source: Source, records: Portion['documents']): Map<string, DocumentRow | undefined> {
  const rows = new Map<string, DocumentRow | undefined>();
  for (const [document, record] of records) {
    const key = documentRowKey(documentKey({ source, document }));
    rows.set(key, record === null ? undefined : { source, document, record });
  }
  return rows;
}

/** The digests that differ, with the sums of seals. */
async function hashRows(
  { steps, hashes }: Portion,
  {
    held: { source, seals },
    said,
    statements,
    breathe,
  }: Pick<NumberingParts, 'held' | 'statements' | 'breathe'> & {
    readonly said: CommitContents['statements'];
  },
): Promise<Map<string, HashRow | undefined>> {
  const sums = new Map<string, number>([...hashes.changed.keys()].map((of) => [of, seals.get(of) ?? 0]));
  const add = (of: string, seal: number) => sums.set(of, (sums.get(of) ?? seals.get(of) ?? 0) + seal);
  let next = 0;
  for (const { document, of, uri, step } of steps) {
    const before = itemOf(statements(documentKey({ source, document })).said, uri);
    if (step.before && before) add(of.before, -before.seal);
    if (step.kind === 'kept') add(of.after, before?.seal ?? 0);
    else if (step.after) add(of.after, said[next++]?.seal ?? 0);
    await breathe();
  }
  const rows = new Map<string, HashRow | undefined>();
  const { all } = hashes;
  for (const [of, sum] of sums) {
    const hash = all.get(of);
    rows.set(hashRowKey(source, of), hash && hash.count > 0 ? { source, of, hash, seals: sum } : undefined);
  }
  return rows;
}

/** Of a component that changes, only those quads are touched that do. */
async function quadsOf(
  source: Source,
  steps: readonly DocumentStep[],
  { vocabulary, former }: QuadWriting,
  breathe: Breather,
): Promise<NonNullable<Draft['quads']>> {
  const quads = { remove: [] as Quad[], put: [] as Quad[] };
  for (const { document, step, before, after } of steps) {
    if (step.kind === 'kept' || step.kind === 'moved') continue;
    const graph = DataFactory.namedNode(graphName(source, document));
    const written = (metadata: Metadata | undefined, as: Vocabulary) =>
      metadata ? storedQuads(metadata, as, graph) : [];
    const [gone, come] = [written(before, vocabulary), written(after, vocabulary)];
    quads.remove.push(...without(gone, come), ...former.flatMap((one) => written(before, one)));
    quads.put.push(...without(come, former.length > 0 ? [] : gone));
    await breathe();
  }
  return quads;
}

function without(quads: readonly Quad[], others: readonly Quad[]): readonly Quad[] {
  return others.length === 0 ? quads : quads.filter((quad) => !others.some((other) => other.equals(quad)));
}
