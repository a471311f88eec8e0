import type { Quad } from '@rdfjs/types';
import { sourceKey } from '../component/source.js';
import { metadataOf } from '../component/writing/listing-text.js';
import { graphOf } from '../connection/records/cached-resource.js';
import { KINDS } from '../connection/records/records.js';
import { precedenceOf } from '../core/precedence.js';
import { KeepDamaged } from '../keep/faults.js';
import type { Keep, Reads, Row } from '../keep/keep.js';
import { termText } from '../keep/quad-rows.js';
import type { StoredRow } from '../keep/stored-row.js';
import { withoutPause } from '../lib/pace.js';
import { type Contents, contentsOf } from '../registry/contents.js';
import { Held } from '../registry/held.js';
import { type FoundStatements, lossesOf } from '../registry/losses.js';
import { partRowKey } from '../registry/row-keys.js';
import { refuseOtherSchema, type Serving, StatementReader } from '../registry/rows.js';
import type { ExportRecord, StatementRecord } from './export-record.js';

/** What is not exported: states and removals belong to a history, and what is imported begins another one. */
const TABLES = ['meta', 'source', 'hash', 'document', 'pin', 'statement'];

/** One state of a registry, as nodes have shown it last. */
export interface StoredRegistry {
  readonly serving: Serving;
  /** Pins, statements in the order in which they came to be said, what is remembered of documents and sources, network lists. */
  readonly records: () => Generator<ExportRecord>;
}

/** Where a statement stands among the others, and the bytes of its row. */
interface Placed extends FoundStatements {
  /** When what it says was said first; its pin may have changed since. */
  readonly since: number;
  readonly position: number;
  readonly bytes: Buffer;
}

/**
 * Reads what is stored of a registry, and writes nothing.
 * @param where in messages
 * @returns `undefined` where no node has stored anything
 * @throws KeepDamaged, also where statements are missing; KeepUnusable, KeepUnavailable
 */
export async function readRegistry(
  keep: Pick<Reads, 'rows'>,
  where: string,
): Promise<StoredRegistry | undefined> {
  const others: Row[] = [];
  const statements: Placed[] = [];
  const reader = new StatementReader();
  for await (const { table, rows } of keep.rows(TABLES)) {
    if (table === 'statement') for (const row of rows) statements.push(placed(row, reader));
    else others.push(...rows);
  }
  const contents = await contentsOf(others, withoutPause());
  const { meta, serving } = contents;
  refuseOtherSchema(meta);
  // A node would read them again from their source, and so shall it be before somebody takes the file for a backup.
  const precedence = precedenceOf(serving?.order ?? { pods: [], peers: [] });
  const held = await new Held(precedence).with(contents, withoutPause());
  for (const { source, expected, found } of lossesOf(statements, held))
    throw new KeepDamaged(
      where,
      `the statements of ${sourceKey(source)} are not those that were stored (${found} instead of ${expected})`,
    );
  if (!meta || !serving) return undefined;
  // What a document says stands where it came to be said, also when its pin has changed since then.
  statements.sort((one, other) => one.since - other.since || one.position - other.position);
  return { serving, records: () => recordsOf(contents, statements) };
}

function placed({ bytes, seal }: StoredRow, reader: StatementReader): Placed {
  const { source, document, position, at, since } = reader.read(bytes);
  return { source, document, count: 1, seals: seal | 0, since: since ?? at, position, bytes };
}

function* recordsOf(
  { pins, documents, sources, network }: Contents,
  statements: readonly Placed[],
): Generator<ExportRecord> {
  for (const pin of pins.values()) if (pin) yield { type: 'pin', pin };
  for (const one of statements) yield statementOf(one, documents);
  for (const row of documents.values())
    if (row) yield { type: 'document', source: row.source, url: row.document, record: row.record };
  for (const row of sources.values())
    if (row) yield { type: 'source', source: row.source, record: row.record };
  yield { type: 'network', peers: [], storage: [], ...network };
}

function statementOf({ since, bytes }: Placed, documents: Contents['documents']): StatementRecord {
  const { source, document, listed } = new StatementReader().read(bytes);
  const { of, authority } = documents.get(partRowKey(source, document))?.record ?? {};
  return { type: 'statement', at: since, source, document, of, authority, component: metadataOf(listed) };
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
