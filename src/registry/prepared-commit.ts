import type { Quad } from '@rdfjs/types';
import { DataFactory } from 'n3';
import type { Removal } from '../catalog/documents.js';
import { itemOf } from '../catalog/edited.js';
import { documentKey } from '../catalog/entry.js';
import type { Metadata } from '../component/metadata.js';
import { type Source, sourceKey } from '../component/source.js';
import type { Vocabulary } from '../component/vocabulary.js';
import { storedQuads } from '../component/writing/metadata-quads.js';
import type { SourceSummary } from '../core/source-digests.js';
import type { Row, Writes } from '../keep/keep.js';
import type { Clock } from '../lib/clock.js';
import type { Breather, Pace } from '../lib/pace.js';
import { type CommitContents, type DocumentRow, NO_CONTENTS, type StatementRow } from './commit-contents.js';
import type { Step } from './difference.js';
import type { DocumentRecord } from './document-record.js';
import { graphName } from './graph-name.js';
import type { RegistryData } from './registry-data.js';
import { documentRowKey, statementRowKey } from './row-keys.js';
import { removalRows, sealedRows } from './rows.js';
import type { SourceAfter } from './source-after.js';

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

/** How quads are written; quads of former vocabularies may be there, too. */
export interface QuadWriting {
  readonly vocabulary: Vocabulary;
  readonly former: readonly Vocabulary[];
}

export interface PreparingParts {
  readonly data: RegistryData;
  readonly clock: Clock;
  readonly pace: Pace;
}

export const NOTHING: PreparedCommit = { contents: NO_CONTENTS, rows: [] };

/** A change of the state that gives so many positions. */
export function stateChange(
  { data, clock }: Pick<PreparingParts, 'data' | 'clock'>,
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
  parts: PreparingParts,
): Promise<PreparedCommit> {
  const { meta } = parts.data;
  const breathe = parts.pace();
  const { said, removals, gone } = await placed(steps, parts, breathe);
  const { statements, rows } = await sealedRows(
    said.map(({ row }) => row),
    breathe,
  );
  const after = new Map(sources.map((one) => [sourceKey(one.source), one]));
  const addSeal = (source: Source, of: string, seal = 0) => after.get(sourceKey(source))?.addSeal(of, seal);
  for (const { source, kind, before, of } of steps) {
    if (before) addSeal(source, of.before, -before.seal);
    if (kind === 'kept') addSeal(source, of.after, before?.seal);
  }
  for (const [i, { step }] of said.entries()) addSeal(step.source, step.of.after, statements[i]?.seal);
  const isShown = said.length + removals.length > 0 || sources.some(({ isRegrouped }) => isRegrouped);
  const position = meta.position + (isShown ? Math.max(said.length + removals.length, 1) : 0);
  const contents: CommitContents = {
    ...NO_CONTENTS,
    ...{ statements, removals, gone },
    sources: new Map(sources.map((one) => [one.key, one.row(isShown ? position : undefined)])),
    hashes: new Map(sources.flatMap((one) => [...one.hashRows()])),
  };
  const prepared = { contents, rows: [...rows, ...(await removalRows(removals, breathe))] };
  const summaries = new Map(sources.map((one) => [one.key, one.summary(position)]));
  return isShown
    ? { ...prepared, change: stateChange(parts, position - meta.position, { summaries }) }
    : prepared;
}

/** The rows of statements and removals at their positions, and what is remembered as removed and is said again. */
async function placed(steps: readonly Step[], parts: PreparingParts, breathe: Breather) {
  const { catalog } = parts.data;
  let { position, at } = stateChange(parts, 0);
  const said: { readonly step: Step; readonly row: StatementRow }[] = [];
  const removals: Removal[] = [];
  const gone: string[] = [];
  for (const step of steps) {
    await breathe();
    const { source, document, uri, kind, before, after } = step;
    if (kind === 'kept') continue;
    position += 1;
    const place = { source, document, position, at };
    const since = kind === 'told' ? { since: before?.since } : {};
    if (after) said.push({ step, row: { ...place, metadata: after, isUpdate: kind !== 'added', ...since } });
    else removals.push({ ...place, uri });
    const key = documentKey(place);
    if (kind === 'added' && itemOf(catalog.document(key).removed, uri)) gone.push(statementRowKey(uri, key));
  }
  return { said, removals, gone };
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

/** What steps change of the quads: of a component that changes, only those are touched that do. Gives way to other work. */
export async function quadsOf(
  steps: readonly Step[],
  { vocabulary, former }: QuadWriting,
  breathe: Breather,
): Promise<NonNullable<PreparedCommit['quads']>> {
  const quads = { remove: [] as Quad[], put: [] as Quad[] };
  for (const { source, document, kind, before, after } of steps) {
    if (kind === 'kept' || kind === 'moved') continue;
    const graph = DataFactory.namedNode(graphName(source, document));
    const written = (metadata: Metadata | undefined, as: Vocabulary) =>
      metadata ? storedQuads(metadata, as, graph) : [];
    const said = before?.metadata;
    const [gone, come] = [written(said, vocabulary), written(after, vocabulary)];
    quads.remove.push(...without(gone, come), ...former.flatMap((one) => written(said, one)));
    quads.put.push(...without(come, former.length > 0 ? [] : gone));
    await breathe();
  }
  return quads;
}

function without(quads: readonly Quad[], others: readonly Quad[]): readonly Quad[] {
  return others.length === 0 ? quads : quads.filter((quad) => !others.some((other) => other.equals(quad)));
}
