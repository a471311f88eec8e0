import type { Removal } from '../catalog/documents.js';
import { documentKey } from '../catalog/entry.js';
import { LOCAL } from '../component/source.js';
import type { NetworkLists } from '../core/network-lists.js';
import type { StoredPin } from '../core/pins.js';
import type { Row } from '../keep/keep.js';
import { sealOf } from '../keep/stored-row.js';
import { LtHash } from '../lib/lt-hash.js';
import type { Breather } from '../lib/pace.js';
import type {
  CommitContents,
  DocumentRow,
  HashRow,
  Meta,
  SealedStatement,
  Serving,
  SourceRow,
  StateBlock,
  StatementRow,
} from './commit-contents.js';
import { blockRowKey, statementRowKey } from './row-keys.js';

/** Raised by a change that older software would misread. */
export const SCHEMA = 12;

/** What the registry keeps, in the order in which a start wants to read it. */
export const TABLES = ['meta', 'source', 'hash', 'document', 'pin', 'state', 'removal', 'statement'] as const;

/** Rows of statements, and the statements with the seals of their rows. */
export interface SealedRows {
  readonly statements: readonly SealedStatement[];
  readonly rows: readonly Row[];
}

/** Writes what is said as rows. Gives way to other work. */
export async function sealedRows(statements: Iterable<StatementRow>, breathe: Breather): Promise<SealedRows> {
  const sealed: SealedStatement[] = [];
  const rows: Row[] = [];
  for (const statement of statements) {
    const key = statementRowKey(statement.listed.uri, documentKey(statement));
    const value = statementText(statement);
    sealed.push({ ...statement, seal: sealOf('statement', key, value) | 0 });
    rows.push({ table: 'statement', key, value });
    await breathe();
  }
  return { statements: sealed, rows };
}

/** Writes as rows that statements are no longer made. Gives way to other work. */
export async function removalRows(removals: readonly Removal[], breathe: Breather): Promise<Row[]> {
  const rows: Row[] = [];
  for (const removal of removals) {
    const key = statementRowKey(removal.uri, documentKey(removal));
    rows.push({ table: 'statement', key, value: undefined });
    rows.push({ table: 'removal', key, value: JSON.stringify(plainRemoval(removal)) });
    await breathe();
  }
  return rows;
}

/** The keys of the rows of removals. Gives way to other work. */
export async function removalKeys(removals: readonly Removal[], breathe: Breather): Promise<string[]> {
  const keys: string[] = [];
  for (const removal of removals) {
    keys.push(statementRowKey(removal.uri, documentKey(removal)));
    await breathe();
  }
  return keys;
}

/** Writes everything else as rows: there are few, but for the keys of those that are gone. */
export function otherRows(effects: Omit<CommitContents, 'statements' | 'removals'>): Row[] {
  const { meta, serving, network, sources, hashes, documents, pins, states, gone } = effects;
  const rows: Row[] = [];
  const put = (table: string, key: string, value: object | undefined) =>
    rows.push({ table, key, value: value && JSON.stringify(value) });
  if (meta) put('meta', 'registry', meta);
  if (serving) put('meta', 'serving', serving);
  if (network) put('meta', 'network', network);
  for (const [key, row] of sources) put('source', key, row);
  for (const [key, row] of hashes) put('hash', key, row && { ...row, hash: row.hash.serialized() });
  for (const [key, row] of documents) put('document', key, row);
  for (const [key, row] of pins) put('pin', key, row);
  for (const [block, lines] of states) put('state', blockRowKey(block), lines && { lines });
  for (const key of gone) put('removal', key, undefined);
  return rows;
}

function plainRemoval({ position, at, source: { kind, url }, document, uri }: Removal): Removal {
  return { position, at, source: { kind, url }, document, uri };
}

/** Reads effects back from rows. Gives way to other work. @throws SyntaxError for a row that no registry has written */
export async function decoded(rows: readonly Row[], breathe: Breather): Promise<CommitContents> {
  const effects = {
    sources: new Map<string, SourceRow | undefined>(),
    hashes: new Map<string, HashRow | undefined>(),
    documents: new Map<string, DocumentRow | undefined>(),
    pins: new Map<string, StoredPin | undefined>(),
    states: new Map<number, StateBlock | undefined>(),
    removals: [] as Removal[],
    statements: [] as SealedStatement[],
  };
  const meta: { meta?: Meta; serving?: Serving; network?: NetworkLists } = {};
  const named = new Set<string>();
  const gone = new Set<string>();
  const statements = new StatementReader();
  for (const { table, key, value } of rows) {
    await breathe();
    const read = <T>() => (value === undefined ? undefined : (JSON.parse(value) as T));
    if (table === 'meta') Object.assign(meta, META[key] ? { [META[key]]: read() } : {});
    else if (table === 'source') effects.sources.set(key, read());
    else if (table === 'hash') effects.hashes.set(key, value === undefined ? undefined : readHash(value));
    else if (table === 'document') effects.documents.set(key, read());
    else if (table === 'pin') effects.pins.set(key, read());
    else if (table === 'state') effects.states.set(Number(key), read<{ lines: StateBlock }>()?.lines);
    else if (value === undefined) gone.add(key);
    else {
      named.add(key);
      if (table === 'removal') effects.removals.push(JSON.parse(value));
      else
        effects.statements.push({
          ...statements.read(Buffer.from(value)),
          seal: sealOf(table, key, value) | 0,
        });
    }
  }
  return { ...effects, ...meta, gone: [...gone].filter((key) => !named.has(key)) };
}

/** The rows of the table of what there is one of. */
const META: Readonly<Record<string, 'meta' | 'serving' | 'network'>> = {
  registry: 'meta',
  serving: 'serving',
  network: 'network',
};

/**
 * Three lines: who says it, which is the same of thousands of rows; what a start needs at hand; and the listing object as it is
 * served, which is copied and not parsed. JSON has no line breaks.
 */
export function statementText({ source, document, listed, ...row }: StatementRow): string {
  const { bytes, ...places } = listed;
  const { position, at, isUpdate, since } = row;
  const head = { position, at, isUpdate, since, ...places };
  return `${JSON.stringify({ source, document })}\n${JSON.stringify(head)}\n${bytes.toString()}`;
}

const LINE_FEED = 10;

/** Reads one statement after another. */
export class StatementReader {
  #line: Buffer = Buffer.alloc(0);
  #place: Pick<StatementRow, 'source' | 'document'> = { source: LOCAL, document: LOCAL.url };

  /** Those of one document that follow one another have the same `source` and `document`. */
  read(row: Buffer): StatementRow {
    const end = row.indexOf(LINE_FEED);
    const text = row.indexOf(LINE_FEED, end + 1) + 1;
    const line = row.subarray(0, end);
    if (!line.equals(this.#line)) [this.#line, this.#place] = [line, JSON.parse(line.toString())];
    const { source, document } = this.#place;
    const head = JSON.parse(row.toString('utf8', end + 1, text));
    const { position, at, isUpdate, since, uri, version, latest, names, lists } = head;
    const listed = { uri, version, latest, names, lists, bytes: row.subarray(text) };
    return { source, document, position, at, isUpdate, since, listed };
  }
}

/** @throws SyntaxError */
export function readHash(value: string): HashRow {
  const { source, of, hash: text } = JSON.parse(value) as Record<keyof HashRow, never>;
  const hash = LtHash.parse(text);
  if (!hash) throw new SyntaxError('A digest cannot be read');
  return { source, of, hash };
}
