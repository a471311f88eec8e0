import type { NamedNode, Quad } from '@rdfjs/types';
import { DataFactory } from 'n3';
import type { Entry } from '../catalog/entry.js';
import { componentsFromQuads } from '../component/reading/descriptions.js';
import { LOCAL, type Source } from '../component/source.js';
import { STORED_VOCABULARY, storedQuads } from '../component/writing/metadata-quads.js';
import type { Keep } from '../keep/keep.js';
import { explain } from '../lib/faults.js';
import { portions } from '../lib/portions.js';
import { MOST_AT_ONCE } from './difference.js';
import { markUnread } from './losses.js';
import type { Registry } from './registry.js';
import { graphName } from './row-keys.js';
import { metaRow } from './rows.js';
import type { WritingParts } from './writer.js';

/** Ms after a start until quads are compared, at most once a day, and of rest before each document. */
const AFTER_START = 600_000;
const DAY = 86_400_000;
const REST = 20;
/** Subjects whose quads one commit writes anew. */
const AT_ONCE = { items: 500, length: 500 };

/**
 * Compares the quads with the rows while the node runs, once a day: the seals of the rows have been compared at the start, so that
 * other quads are damaged. Never rejects.
 */
export async function checkQuads(parts: WritingParts, signal: AbortSignal): Promise<void> {
  const { clock, data, log } = parts;
  const isDue = () => Math.abs(clock.now() - (data.now.checked?.at ?? Number.NEGATIVE_INFINITY)) >= DAY;
  while (!signal.aborted) {
    try {
      await clock.sleep(AFTER_START, signal);
      if (isDue()) await checkAll(parts, signal);
    } catch (error) {
      if (!signal.aborted)
        log.warn({ error: explain(error) }, 'the stored quads could not be compared; it is tried again');
    }
  }
}

/**
 * @param signal where it runs beside other work, and rests before each document
 * @returns how many components have had other quads than were written
 */
export async function checkAll(parts: WritingParts, signal?: AbortSignal): Promise<number> {
  const { data, writer, clock } = parts;
  let others = 0;
  for (const { source, documents } of data.now.held.all()) {
    for (const document of documents.keys()) {
      if (signal) await clock.sleep(REST, signal);
      others += await checkDocument(source, document, parts, signal);
    }
  }
  await writer.write(({ rows }) => {
    rows.push(metaRow('checked', { at: clock.now() }));
  });
  return others;
}

/**
 * Writes the quads of one document anew that are not those of its rows. They are damaged: that is told, and the source is read again
 * whole; but not when the document has changed meanwhile.
 * @returns how many components have had other quads than were written
 */
async function checkDocument(
  source: Source,
  document: string,
  parts: WritingParts,
  signal?: AbortSignal,
): Promise<number> {
  const { keep, data, writer, log } = parts;
  const sayings = () => data.catalog.sayings({ source, document });
  const graph = DataFactory.namedNode(graphName(source, document));
  const writtenOf = (entry: Entry | undefined) => (entry ? storedQuads(entry.metadata, graph) : []);
  const breathe = parts.pace();
  const { said, find } = sayings();
  const unseen = new Set(said.map(({ uri }) => uri));
  /** Quads about a subject that are there in the place of those that were written. */
  const differing: { readonly uri: string; readonly found: readonly Quad[] }[] = [];
  for await (const found of subjectsOf(keep, graph)) {
    signal?.throwIfAborted();
    await breathe();
    const uri = found[0]?.subject.value ?? '';
    unseen.delete(uri);
    if (!sameQuads(found, writtenOf(find(uri)))) differing.push({ uri, found });
  }
  for (const uri of unseen) differing.push({ uri, found: [] });
  if (differing.length === 0) return 0;
  let isMoved = false;
  await writer.write((draft) => {
    // A commit may be in the quads that was not shown when they were read: it is shown once nothing is written.
    isMoved = sayings().said !== said;
    return isMoved ? undefined : markUnread(source, draft, parts);
  });
  if (isMoved) return 0;
  log.warn(
    { kind: source.kind, source: source.url, document, subjects: differing.length },
    'quads of this document are not what was written: they are written anew, and a pod or peer is read again ' +
      'whole; if this is said again, run repair',
  );
  for (const some of portions(differing, () => 1, AT_ONCE)) {
    signal?.throwIfAborted();
    await writer.write(({ quads }) => {
      const now = sayings();
      for (const { uri, found } of some) {
        quads.remove.push(() => found);
        quads.put.push(() => writtenOf(now.find(uri)));
      }
    });
  }
  return differing.filter(({ uri }) => find(uri)).length;
}

function sameQuads(found: readonly Quad[], written: readonly Quad[]): boolean {
  const isIn = (quads: readonly Quad[]) => (quad: Quad) => quads.some((other) => other.equals(quad));
  return written.every(isIn(found)) && found.every(isIn(written));
}

/** What was posted to the node, not withdrawn, and has lost its rows, is posted again from its quads. @returns how many components */
export async function restorePosted(
  { keep, data }: Pick<WritingParts, 'keep' | 'data'>,
  registry: Pick<Registry, 'commitOwn'>,
): Promise<number> {
  const own = { source: LOCAL, document: LOCAL.url };
  const { find } = data.catalog.sayings(own);
  const isKnown = (uri: string) => find(uri) !== undefined || data.catalog.isRemoved({ ...own, uri });
  const lost = new Map<string, ReturnType<typeof componentsFromQuads>['components'][number]>();
  for await (const quads of subjectsOf(keep, DataFactory.namedNode(LOCAL.url))) {
    const [component] = componentsFromQuads(quads, STORED_VOCABULARY).components;
    if (component && !isKnown(component.uri)) lost.set(component.uri, component);
  }
  for (const put of portions(lost.values(), () => 1, { items: MOST_AT_ONCE, length: MOST_AT_ONCE }))
    await registry.commitOwn({ put });
  return lost.size;
}

/** The quads of one subject in a graph at a time. */
async function* subjectsOf(keep: Keep, graph: NamedNode): AsyncGenerator<Quad[]> {
  let current: Quad[] = [];
  for await (const quads of keep.quads([graph])) {
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
