import { DataFactory } from 'n3';
import { sourceKey } from '../../../component/source.js';
import type { Vocabulary } from '../../../component/vocabulary.js';
import { storedQuads } from '../../../component/writing/metadata-quads.js';
import type { Pace } from '../../../lib/pace.js';
import { QuadDifference } from '../checking/mend-quads.js';
import { readGraphName } from '../database/graph-name.js';
import { quadOf } from '../database/quad-keys.js';
import type { QuadStore } from '../database/quad-store.js';
import { readStatementKey, readStatementRow } from '../database/statement-row.js';
import { IN_MEMORY } from '../listing/block-space.js';
import type { Entry } from '../listing/entry.js';
import type { StoredHashes } from '../loading/load-changes.js';
import { isOfThisData, presentOrigin } from '../loading/load-snapshot.js';
import { readSnapshot } from '../snapshot/read-snapshot.js';
import { isReadable, type SnapshotDocument } from '../snapshot/snapshot-head.js';

export interface RestoringParts {
  /** Where the snapshot lies. */
  readonly directory: string;
  readonly vocabulary: Vocabulary;
  readonly pace: Pace;
}

/**
 * Writes the quads of some sources anew, as far as the snapshot of the catalog has what they said: the rows tell which
 * statements have not changed since. @returns how many statements were others than that
 */
export async function restoreQuads(
  store: QuadStore,
  sources: readonly StoredHashes[],
  { directory, vocabulary, pace }: RestoringParts,
): Promise<number> {
  const entries = sources.length > 0 ? await snapshotEntries(store, directory, pace) : undefined;
  if (!entries) return 0;
  const wanted = new Set(sources.map(({ source }) => sourceKey(source)));
  const names = new Map<number, string>();
  for await (const [name, number] of store.rows<number>('graph')) {
    const origin = readGraphName(name);
    if (origin && wanted.has(sourceKey(origin.source))) names.set(number, name);
  }
  let restored = 0;
  for await (const page of store.texts('statement')) {
    const change = new QuadDifference();
    for (const [key, row] of page) {
      const { uri, graph } = readStatementKey(key);
      const name = names.get(graph);
      const entry = name === undefined ? undefined : entries.get(`${name} ${uri}`);
      // Only a change gives another position.
      if (name === undefined || entry?.position !== readStatementRow(row).place.position) continue;
      const cursor = store.cursor(name);
      change.expect(storedQuads(entry.metadata, vocabulary, DataFactory.namedNode(name)));
      change.find((await cursor.about(uri)).map(quadOf));
      await cursor.close();
    }
    const { remove, add } = change.outcome;
    restored += new Set([...remove, ...add].map(({ graph, subject }) => `${graph.value} ${subject.value}`))
      .size;
    await store.write({ remove, add, durable: true });
  }
  return restored;
}

/** What the snapshot has, by the name of the graph and the uri; undefined where it is not of this data, or cannot be read. */
async function snapshotEntries(
  store: QuadStore,
  directory: string,
  pace: Pace,
): Promise<ReadonlyMap<string, Entry> | undefined> {
  const graphs = new Map<object, string>();
  const originOf = (document: SnapshotDocument) => {
    const origin = presentOrigin(document);
    graphs.set(origin, document.graph);
    return origin;
  };
  const snapshot = await readSnapshot(directory, {
    isWanted: async (head) => isReadable(head) && (await isOfThisData(store, head)),
    originOf,
    space: IN_MEMORY,
    breathe: pace(),
  }).catch(() => undefined);
  return (
    snapshot && new Map(snapshot.entries.map((entry) => [`${graphs.get(entry.origin)} ${entry.uri}`, entry]))
  );
}
