import type { Quad } from '@rdfjs/types';
import type { Entry } from '../catalog/entry.js';
import { graphOf } from '../connection/records/cached-resource.js';
import { KINDS } from '../connection/records/records.js';
import { KeepDamaged } from '../keep/faults.js';
import type { Keep } from '../keep/keep.js';
import { termText } from '../keep/quad-rows.js';
import { systemClock } from '../lib/clock.js';
import { withoutPause } from '../lib/pace.js';
import { type Loaded, load } from '../registry/load.js';
import { lossText } from '../registry/losses.js';
import type { Serving } from '../registry/serving.js';
import type { ExportRecord } from './export-record.js';

/** One state of a registry, as nodes have shown it last. */
export type StoredRegistry = NonNullable<Awaited<ReturnType<typeof readRegistry>>>;

/** How a place is shown that nobody has shown yet. */
const UNUSED: Serving = { baseUrl: '', namespace: '', servedAs: '', order: { pods: [], peers: [] } };

/**
 * Reads what is stored of a registry, and writes nothing.
 * @param where in messages
 * @returns `undefined` where no node has stored anything
 * @throws KeepDamaged, also where statements are missing; KeepUnusable, StoreUnavailable
 */
export async function readRegistry(keep: Pick<Keep, 'rows'>, where: string) {
  const parts = { keep, clock: systemClock, pace: withoutPause };
  const loaded = await load({ ...parts, serving: (shown) => shown ?? UNUSED });
  const { shown: serving, losses } = loaded;
  // A node would read them again from their source, and so shall it be before somebody takes the file for a backup.
  for (const loss of losses) throw new KeepDamaged(where, lossText(loss));
  return serving && { serving, records: () => recordsOf(loaded) };
}

/**
 * Pins, statements in the order in which they came to be said, what is remembered of documents and sources, network lists.
 * States and removals are left out: they belong to a history, and what is imported begins another one.
 */
function* recordsOf({ contents, held, pins, network }: Loaded): Generator<ExportRecord> {
  for (const pin of pins.values()) yield { type: 'pin', pin };
  const entries: Entry[] = [];
  for (const said of contents.documents.values()) for (const entry of said) entries.push(entry);
  // What a document says stands where it came to be said, also when its pin has changed since then.
  entries.sort((one, other) => one.since - other.since || one.position - other.position);
  for (const { origin, since: at, metadata: component } of entries) {
    const { source, document, authority } = origin;
    const of = held.document(origin)?.of;
    yield { type: 'statement', at, source, document, of, authority, component };
  }
  for (const { source, documents } of held.all())
    for (const [url, { components: _, ...record }] of documents)
      yield { type: 'document', source, url, record };
  for (const { source, record } of held.all()) yield { type: 'source', source, record };
  yield { type: 'network', ...network };
}

/** What the connection service has stored. Nothing is changed while it is read, by other nodes either. */
export function connectionRecords(keep: Pick<Keep, 'exclusively'>): Promise<ExportRecord[]> {
  return keep.exclusively(async (now) => {
    const result: ExportRecord[] = [];
    for await (const { rows } of now.rows(KINDS)) {
      for (const { table, key, value: text } of rows) {
        const value = JSON.parse(text);
        result.push({ type: 'record', table, key, value });
        if (table !== 'resource') continue;
        const graph = graphOf(value.record);
        for await (const quads of now.quads([graph]))
          result.push({ type: 'quads', graph: graph.value, quads: quads.map(textsOf) });
      }
    }
    return { result };
  });
}

/** A quad of a known graph as twelve texts, so that blank nodes keep their labels, which no syntax of RDF promises. */
function textsOf({ subject, predicate, object }: Quad): string[] {
  return [subject, predicate, object].flatMap((term) => {
    const [type = '', value = '', datatype = '', language = ''] = termText(term);
    return [type, value, datatype, language];
  });
}
