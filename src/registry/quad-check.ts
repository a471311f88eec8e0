import type { Quad } from '@rdfjs/types';
import { DataFactory } from 'n3';
import { itemOf } from '../catalog/edited.js';
import type { Entry, Origin } from '../catalog/entry.js';
import { componentsFromQuads } from '../component/reading/descriptions.js';
import { LOCAL } from '../component/source.js';
import { createVocabulary } from '../component/vocabulary.js';
import { storedQuads } from '../component/writing/metadata-quads.js';
import type { Keep } from '../keep/keep.js';
import type { Clock } from '../lib/clock.js';
import { explain } from '../lib/faults.js';
import type { LogTo } from '../lib/log.js';
import type { Pace } from '../lib/pace.js';
import { readingAgain } from './adjust.js';
import { NO_CONTENTS } from './commit-contents.js';
import { MOST_AT_ONCE } from './difference.js';
import { graphName } from './graph-name.js';
import type { Draft, QuadWriting } from './numbering.js';
import type { Registry } from './registry.js';
import type { RegistryData } from './registry-data.js';
import type { Writer } from './writer.js';

export interface QuadCheckParts {
  readonly keep: Keep;
  readonly data: RegistryData;
  readonly writer: Writer;
  readonly quads: () => QuadWriting | undefined;
  readonly clock: Clock;
  readonly pace: Pace;
  readonly log: LogTo<'warn'>;
}

/** Ms after a start until quads are compared, at most once a day, and how long it rests between two documents. */
const AFTER_START = 600_000;
const DAY = 86_400_000;
const REST = 20;
/** Subjects whose quads one commit writes anew. */
const AT_ONCE = 500;

const NOTHING: Draft = { effects: NO_CONTENTS, rows: [] };

/** The row that tells when quads were compared last. */
const CHECKED = { table: 'meta', key: 'checked' } as const;

/**
 * Compares the quads with the rows once a day, while the node runs. Both were written together, and the seals of the rows have
 * been compared at the start: so quads that say something else are damaged. They are written anew, and their source is read again.
 */
export async function checkQuads(parts: QuadCheckParts, signal: AbortSignal): Promise<void> {
  const { clock, log } = parts;
  while (!signal.aborted) {
    try {
      await clock.sleep(AFTER_START, signal);
      if (await isDue(parts)) await checkAll(parts, signal);
    } catch (error) {
      if (!signal.aborted)
        log.warn({ error: explain(error) }, 'the stored quads could not be compared; it is tried again');
    }
  }
}

async function isDue({ keep, clock, data }: QuadCheckParts): Promise<boolean> {
  if (data.serving.former.length > 0) return false;
  const row = (await keep.get(CHECKED.table, [CHECKED.key])).get(CHECKED.key);
  const checked = row ? (JSON.parse(row.value) as { at: number }).at : Number.NEGATIVE_INFINITY;
  return Math.abs(clock.now() - checked) >= DAY;
}

async function checkAll(parts: QuadCheckParts, signal: AbortSignal): Promise<void> {
  const { data, writer, clock } = parts;
  for (const { documents } of [...data.held.all()]) {
    for (const { origin } of [...documents.values()]) {
      await clock.sleep(REST, signal);
      await checkDocument(origin, parts, { isReadAgain: true, signal });
    }
  }
  const value = JSON.stringify({ at: clock.now() });
  await writer.write(async () => ({ effects: NO_CONTENTS, rows: [{ ...CHECKED, value }] }));
}

/**
 * Compares the quads of one document; what it finds is void when the document has changed meanwhile.
 * @param isReadAgain is a source whose quads differ read again whole, but for the node itself?
 * @returns how many components have had other quads than were written
 * @throws the reason of the signal
 */
export async function checkDocument(
  origin: Origin,
  parts: QuadCheckParts,
  { isReadAgain = false, signal }: { isReadAgain?: boolean; signal?: AbortSignal } = {},
): Promise<number> {
  const { data, writer, log } = parts;
  const { key, source, document } = origin;
  const { said } = data.catalog.document(key);
  const writing = parts.quads();
  if (!writing) return 0;
  const differing = await differingSubjects(said, graphName(source, document), parts, writing, signal);
  if (differing.length === 0 || data.catalog.document(key).said !== said) return 0;
  const reading = isReadAgain && source.kind !== 'local' ? ', and the source is read again whole' : '';
  log.warn(
    { kind: source.kind, source: source.url, document, subjects: differing.length },
    `quads of this document are not what was written: they are written anew${reading}; if this is said again, run repair`,
  );
  for (let from = 0; from < differing.length; from += AT_ONCE) {
    signal?.throwIfAborted();
    const some = differing.slice(from, from + AT_ONCE);
    await writer.write(async (): Promise<Draft | undefined> => {
      if (data.catalog.document(key).said !== said) return undefined;
      const quads = {
        remove: some.flatMap(({ found }) => found),
        put: some.flatMap(({ written }) => written),
      };
      const held = data.held.source(source);
      const first = isReadAgain && from === 0 && held ? readingAgain([held]) : NOTHING;
      return { ...first, quads };
    });
  }
  return differing.filter(({ written }) => written.length > 0).length;
}

/** A subject, the quads about it that are there, and those that have been written. */
interface Differing {
  readonly found: readonly Quad[];
  readonly written: readonly Quad[];
}

async function differingSubjects(
  said: readonly Entry[],
  name: string,
  { keep, pace }: QuadCheckParts,
  { vocabulary }: QuadWriting,
  signal: AbortSignal | undefined,
): Promise<Differing[]> {
  const graph = DataFactory.namedNode(name);
  const breathe = pace();
  const writtenOf = (entry: Entry | undefined) =>
    entry ? storedQuads(entry.metadata, vocabulary, graph) : [];
  const differing: Differing[] = [];
  const seen = new Set<string>();
  for await (const found of subjectsOf(keep.quads([graph]))) {
    const uri = found[0]?.subject.value ?? '';
    seen.add(uri);
    const written = writtenOf(itemOf(said, uri));
    if (!sameQuads(found, written)) differing.push({ found, written });
    await breathe();
    signal?.throwIfAborted();
  }
  for (const entry of said) {
    if (!seen.has(entry.uri)) differing.push({ found: [], written: writtenOf(entry) });
    await breathe();
    signal?.throwIfAborted();
  }
  return differing;
}

function sameQuads(found: readonly Quad[], written: readonly Quad[]): boolean {
  const isFound = (quad: Quad) => found.some((other) => other.equals(quad));
  return written.every(isFound) && found.every((quad) => written.some((other) => other.equals(quad)));
}

/** What was posted to the node, and whose rows are lost, is posted again from its quads. @returns how many components */
export async function restorePosted(
  { keep, data }: Pick<QuadCheckParts, 'keep' | 'data'>,
  registry: Pick<Registry, 'commitOwn'>,
): Promise<number> {
  const { namespace, former } = data.serving;
  const graph = DataFactory.namedNode(graphName(LOCAL, LOCAL.url));
  const lost = new Map<string, ReturnType<typeof componentsFromQuads>['components'][number]>();
  for await (const quads of subjectsOf(keep.quads([graph]))) {
    for (const name of [namespace, ...former]) {
      const [component] = componentsFromQuads(quads, createVocabulary(name)).components;
      if (
        !component ||
        data.catalog.entriesOf(component.uri).some(({ origin }) => origin.source.kind === 'local')
      )
        continue;
      lost.set(component.uri, component);
    }
  }
  const put = [...lost.values()];
  for (let from = 0; from < put.length; from += MOST_AT_ONCE)
    await registry.commitOwn({ put: put.slice(from, from + MOST_AT_ONCE) });
  return put.length;
}

/** The quads of one subject in one graph at a time. */
async function* subjectsOf(lists: AsyncIterable<readonly Quad[]>): AsyncGenerator<Quad[]> {
  let current: Quad[] = [];
  for await (const quads of lists) {
    for (const quad of quads) {
      const [first] = current;
      if (first && first.subject.value !== quad.subject.value) {
        yield current;
        current = [];
      }
      current.push(quad);
    }
  }
  if (current.length > 0) yield current;
}
