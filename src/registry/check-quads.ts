import type { Quad } from '@rdfjs/types';
import { DataFactory } from 'n3';
import { itemOf } from '../catalog/edited.js';
import { documentKey, type Entry } from '../catalog/entry.js';
import { componentsFromQuads } from '../component/reading/descriptions.js';
import { LOCAL, type Source } from '../component/source.js';
import { createVocabulary } from '../component/vocabulary.js';
import { storedQuads } from '../component/writing/metadata-quads.js';
import { explain } from '../lib/faults.js';
import { portions } from '../lib/portions.js';
import { MOST_AT_ONCE } from './difference.js';
import type { RegistryParts } from './draft.js';
import { graphName } from './graph-name.js';
import { recover } from './losses.js';
import type { Registry } from './registry.js';
import { metaRow } from './rows.js';
import type { Writer } from './writer.js';

export interface QuadCheckParts extends RegistryParts {
  readonly writer: Writer;
}

/** Ms after a start until quads are compared, at most once a day, and how long it rests between two documents. */
const AFTER_START = 600_000;
const DAY = 86_400_000;
const REST = 20;
/** Subjects whose quads one commit writes anew. */
const AT_ONCE = { items: 500, length: 500 };

/** The row that tells when quads were compared last. */
const CHECKED = { table: 'meta', key: 'checked' } as const;

/**
 * Compares the quads with the rows while the node runs: once a day, because both were written together, and the seals of the rows
 * have been compared at the start, so that other quads are damaged; and at once when the vocabulary is another one than before,
 * because then all of them are others. They are written anew, in portions, and their sources are read again. Never rejects.
 */
export async function checkQuads(parts: QuadCheckParts, signal: AbortSignal): Promise<void> {
  const { keep, clock, data, log } = parts;
  const isTranslating = () => data.now.serving.former.length > 0;
  for (let isFirst = true; !signal.aborted && (keep.holdsQuads || isTranslating()); isFirst = false) {
    try {
      if (!isFirst || !isTranslating()) await clock.sleep(AFTER_START, signal);
      if (isTranslating() || (await isDue(parts))) await checkAll(parts, signal);
    } catch (error) {
      if (!signal.aborted)
        log.warn({ error: explain(error) }, 'the stored quads could not be compared; it is tried again');
    }
  }
}

async function isDue({ keep, clock }: QuadCheckParts): Promise<boolean> {
  const row = (await keep.get(CHECKED.table, [CHECKED.key])).get(CHECKED.key);
  const checked = row ? (JSON.parse(row.value) as { at: number }).at : Number.NEGATIVE_INFINITY;
  return Math.abs(clock.now() - checked) >= DAY;
}

/** When it is broken off, a translation begins again at the next start: until it is done, every document is unread after a start. */
async function checkAll(parts: QuadCheckParts, signal: AbortSignal): Promise<void> {
  const { data, writer, clock } = parts;
  const isTranslating = data.now.serving.former.length > 0;
  await checkDocuments(parts, signal, () => (isTranslating ? undefined : clock.sleep(REST, signal)));
  const value = JSON.stringify({ at: clock.now() });
  await writer.write(({ rows }) => {
    rows.push({ ...CHECKED, value });
    if (isTranslating) rows.push(metaRow('serving', { ...data.now.serving, former: [] }));
  });
}

/** @param rest called before each document @returns how many components have had other quads than were written */
export async function checkDocuments(
  parts: QuadCheckParts,
  signal?: AbortSignal,
  rest: () => Promise<void> | undefined = () => undefined,
): Promise<number> {
  const { data, writer } = parts;
  let others = 0;
  for (const { source, documents } of data.now.held.all()) {
    if (data.now.serving.former.length > 0) await writer.write((draft) => recover(source, draft, parts));
    for (const document of documents.keys()) {
      await rest();
      others += await checkDocument(source, document, parts, signal);
    }
  }
  return others;
}

/**
 * Compares the quads of one document with its rows, and writes anew those that differ. Where they are no quads of a former
 * vocabulary, they are damaged: that is told, and the source is read again whole. What is found is no damage when the document
 * has changed meanwhile: its commits write what they touch.
 * @returns how many components have had other quads than were written
 * @throws the reason of the signal
 */
async function checkDocument(
  source: Source,
  document: string,
  parts: QuadCheckParts,
  signal?: AbortSignal,
): Promise<number> {
  const { keep, data, writer, log } = parts;
  if (!keep.holdsQuads) return 0;
  const key = documentKey({ source, document });
  const graph = DataFactory.namedNode(graphName(source, document));
  const { said } = data.catalog.document(key);
  const writtenOf = (entry: Entry | undefined) =>
    entry ? storedQuads(entry.metadata, data.catalog.naming.vocabulary, graph) : [];
  const breathe = parts.pace();
  const differing: Differing[] = [];
  const seen = new Set<string>();
  const compare = async (uri: string, found: readonly Quad[]) => {
    signal?.throwIfAborted();
    await breathe();
    if (!sameQuads(found, writtenOf(itemOf(said, uri)))) differing.push({ uri, found });
  };
  for await (const found of subjectsOf(keep.quads([graph]))) {
    const uri = found[0]?.subject.value ?? '';
    seen.add(uri);
    await compare(uri, found);
  }
  for (const { uri } of said) if (!seen.has(uri)) await compare(uri, []);
  if (data.now.serving.former.length === 0) {
    // A commit may be in the quads that is not shown yet: it is once nothing is written.
    const isMoved = () => writer.idle(async () => data.catalog.document(key).said !== said);
    if (differing.length === 0 || (await isMoved())) return 0;
    log.warn(
      { kind: source.kind, source: source.url, document, subjects: differing.length },
      'quads of this document are not what was written: they are written anew, and the source is read again whole; if this is said again, run repair',
    );
    await writer.write((draft) => recover(source, draft, parts));
  }
  for (const some of portions(differing, () => 1, AT_ONCE)) {
    signal?.throwIfAborted();
    await writer.write(({ quads }) => {
      const now = data.catalog.document(key).said;
      for (const { uri, found } of some) {
        quads.remove.add(() => found);
        quads.put.add(() => writtenOf(itemOf(now, uri)));
      }
    });
  }
  return differing.filter(({ uri }) => itemOf(said, uri)).length;
}

/** A subject, and the quads about it that are there in the place of those that were written. */
interface Differing {
  readonly uri: string;
  readonly found: readonly Quad[];
}

function sameQuads(found: readonly Quad[], written: readonly Quad[]): boolean {
  const isIn = (quads: readonly Quad[]) => (quad: Quad) => quads.some((other) => other.equals(quad));
  return written.every(isIn(found)) && found.every(isIn(written));
}

/** What was posted to the node, not withdrawn, and has lost its rows, is posted again from its quads. @returns how many components */
export async function restorePosted(
  { keep, data }: Pick<QuadCheckParts, 'keep' | 'data'>,
  registry: Pick<Registry, 'commitOwn'>,
): Promise<number> {
  const { namespace, former } = data.now.serving;
  const vocabularies = [namespace, ...former].map((name) => createVocabulary(name));
  const own = documentKey({ source: LOCAL, document: LOCAL.url });
  const { said } = data.catalog.document(own);
  const isKnown = (uri: string) => itemOf(said, uri) !== undefined || data.catalog.isRemoved(own, uri);
  const graph = DataFactory.namedNode(graphName(LOCAL, LOCAL.url));
  const lost = new Map<string, ReturnType<typeof componentsFromQuads>['components'][number]>();
  for await (const quads of subjectsOf(keep.quads([graph]))) {
    for (const vocabulary of vocabularies) {
      const [component] = componentsFromQuads(quads, vocabulary).components;
      if (component && !isKnown(component.uri)) lost.set(component.uri, component);
    }
  }
  for (const put of portions(lost.values(), () => 1, { items: MOST_AT_ONCE, length: MOST_AT_ONCE }))
    await registry.commitOwn({ put });
  return lost.size;
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
