import { type Source, sourceKey } from '../../../src/component/source.js';
import { metadataOf } from '../../../src/component/writing/listing-text.js';
import type { Cursor } from '../../../src/core/cursor.js';
import { type NetworkLists, NO_NETWORK } from '../../../src/core/network-lists.js';
import type { Row } from '../../../src/keep/keep.js';
import type { Meta, SourceRow } from '../../../src/registry/commit-contents.js';
import { StatementReader } from '../../../src/registry/rows.js';

/** What is stored of a statement, as far as rules ask for it. */
export interface Said {
  readonly document: string;
  readonly uri: string;
  readonly label: string;
}

/** What a node has committed of what it has read of a source. */
export interface Reading {
  readonly source: Source;
  /** What was said before the commit, and is no more. */
  readonly dropped: readonly Said[];
  /** Statements of the source before the commit. */
  readonly held: number;
  /** How often the source, or a source of it, was read anew in this commit. */
  readonly repairs: number;
  /** Does it tell of documents, and not only when it was read? */
  readonly isOfDocuments: boolean;
}

/** What a node has stored, read from the rows that it commits. It outlives the processes of the node. */
export class Stored {
  meta: Pick<Meta, 'revision' | 'networkRevision'> | undefined;
  network: NetworkLists = NO_NETWORK;
  /** By `sourceKey`. */
  readonly sources = new Map<string, SourceRow>();
  /** By the source (`sourceKey`), then by the key of the row. */
  readonly #said = new Map<string, Map<string, Said>>();
  /** The source (`sourceKey`) of a statement, by the key of its row. */
  readonly #sourceOf = new Map<string, string>();
  /** Rows of the states that are remembered, as they were written. */
  readonly #states = new Map<string, string>();

  saidBy(source: Source): readonly Said[] {
    return [...(this.#said.get(sourceKey(source))?.values() ?? [])];
  }

  /** Does the registry remember that it was in this state? The epoch is that of the keep. */
  remembers({ position, digest }: Omit<Cursor, 'epoch'>): boolean {
    return [...this.#states.values()].some((lines) => lines.includes(`"${position} ${digest}"`));
  }

  /** The state that the registry is in, `<position>.<digest>`; none as long as nothing has happened in it. */
  get state(): string | undefined {
    const [last = ''] = [...this.#states.keys()].sort().slice(-1);
    const { lines = [] } = JSON.parse(this.#states.get(last) ?? '{}') as { lines?: readonly string[] };
    return lines.at(-1)?.replace(' ', '.');
  }

  copy(): Stored {
    const copy = new Stored();
    copy.meta = this.meta;
    copy.network = this.network;
    for (const [key, row] of this.sources) copy.sources.set(key, row);
    for (const [key, said] of this.#said) copy.#said.set(key, new Map(said));
    for (const [key, source] of this.#sourceOf) copy.#sourceOf.set(key, source);
    for (const [key, lines] of this.#states) copy.#states.set(key, lines);
    return copy;
  }

  /** Takes in what a commit has written. @returns what it tells of a source that was read; nothing of one that is forgotten */
  apply(rows: readonly Row[]): Reading | undefined {
    const of = rows.find(({ table }) => table === 'source');
    const row = of?.value === undefined ? undefined : (JSON.parse(of.value) as SourceRow);
    const before = row && this.sources.get(sourceKey(row.source));
    const held = row ? this.saidBy(row.source).length : 0;
    const dropped = rows.flatMap((one) => this.#applyRow(one) ?? []);
    if (row?.record.lastAttempt === undefined) return undefined;
    const repairs = isRepair(row, before) ? 1 : 0;
    return { source: row.source, dropped, held, repairs, isOfDocuments: isOfDocuments(rows) };
  }

  /** @returns what is said no more */
  #applyRow({ table, key, value }: Row): Said | undefined {
    if (table === 'statement') return this.#applyStatement(key, value);
    if (table === 'source') put(this.sources, key, value === undefined ? undefined : JSON.parse(value));
    else if (table === 'state') put(this.#states, key, value);
    else if (table === 'meta' && key === 'registry') this.meta = JSON.parse(value ?? '');
    else if (table === 'meta' && key === 'network') this.network = JSON.parse(value ?? '');
    return undefined;
  }

  #applyStatement(key: string, value: string | undefined): Said | undefined {
    if (value !== undefined) {
      const { source, document, listed } = new StatementReader().read(value);
      const metadata = metadataOf(listed);
      const said = this.#said.get(sourceKey(source)) ?? new Map<string, Said>();
      this.#said.set(sourceKey(source), said);
      said.set(key, { document, uri: metadata.uri, label: metadata.label });
      this.#sourceOf.set(key, sourceKey(source));
      return undefined;
    }
    const said = this.#said.get(this.#sourceOf.get(key) ?? '');
    const before = said?.get(key);
    said?.delete(key);
    this.#sourceOf.delete(key);
    return before;
  }
}

/** Does a commit change what is remembered of documents? */
export function isOfDocuments(rows: readonly Row[] = []): boolean {
  return rows.some(({ table }) => table === 'document' || table === 'statement');
}

/** Has a poll found that what a peer says does not lead to its digests? All of it is read again then. */
function isRepair(row: SourceRow | undefined, before: SourceRow | undefined): boolean {
  const { disagrees = false, lastAttempt } = row?.record ?? {};
  return disagrees && lastAttempt !== before?.record.lastAttempt;
}

function put<V>(map: Map<string, V>, key: string, value: V | undefined): void {
  if (value === undefined) map.delete(key);
  else map.set(key, value);
}
