import type { Quad } from '@rdfjs/types';
import { DataFactory } from 'n3';
import type { Naming } from '../../../component/naming.js';
import { componentsFromQuads } from '../../../component/reading/descriptions.js';
import { LOCAL } from '../../../component/source.js';
import { createVocabulary } from '../../../component/vocabulary.js';
import { readPlain } from '../../../component/writing/listing-text.js';
import { storedQuads } from '../../../component/writing/metadata-quads.js';
import type { Clock } from '../../../lib/clock.js';
import type { Breather, Pace } from '../../../lib/pace.js';
import { type DocumentRecord, unread } from '../../../registry/document-record.js';
import type { SourceRecord } from '../../../registry/source-record.js';
import { BATCH, RedoLog } from '../changes/redo-log.js';
import { readGraphName } from '../database/graph-name.js';
import { QuadStore, type Row } from '../database/quad-store.js';
import { readStatementKey, readStatementRow } from '../database/statement-row.js';
import type { StatementsNote } from '../database/statements-note.js';
import { SCHEMA_VERSION, TABLES } from '../database/tables.js';
import { subjectsOf } from '../loading/rebuild.js';
import type { Findings, Reconcile, Salvage } from './repair.js';

export interface RepairOptions extends Naming {
  readonly clock: Clock;
  readonly pace: Pace;
}

/**
 * Makes a registry's database consistent again. A description is kept twice, as a row and as quads: where the row
 * is good, the quads are made to match it; where it is gone, the quads stand for it if none of their graph were
 * damaged. The rows themselves are made anew from the quads at the next start. When anything may be missing, all
 * documents are read again from their sources. The revision begins a new epoch: numbers may have been used for what is lost.
 */
export function reconcileRegistry({ clock, pace, ...naming }: RepairOptions): Reconcile {
  return async (level, salvage, findings) => {
    const store = await QuadStore.open(level, { clock, pace });
    try {
      const namespace = (await store.row<string>('meta', 'vocabulary')) ?? naming.vocabulary.namespace;
      const written = { ...naming, pace, vocabulary: createVocabulary(namespace) };
      await new RedoLog(store, written).recover();
      await new Reconciliation(store, written, salvage, findings).run();
    } finally {
      await store.close();
    }
  };
}

class Reconciliation {
  readonly #store: QuadStore;
  readonly #naming: Naming;
  readonly #salvage: Salvage;
  readonly #findings: Findings;
  /** Components that good rows describe, by the name of the graph. */
  readonly #described = new Map<string, Set<string>>();
  readonly #breathe: Breather;
  #changes: { remove: Quad[]; add: Quad[] } = { remove: [], add: [] };
  #found = 0;

  constructor(
    store: QuadStore,
    naming: Naming & { readonly pace: Pace },
    salvage: Salvage,
    findings: Findings,
  ) {
    this.#store = store;
    this.#naming = naming;
    this.#breathe = naming.pace();
    this.#salvage = salvage;
    this.#findings = findings;
  }

  async run(): Promise<void> {
    await this.#matchRows();
    const vanished = await this.#vanished();
    await this.#judgeQuadsWithoutRows(vanished);
    await this.#flush();
    const missing = await this.#missing();
    const { removed } = this.#salvage;
    const incomplete = this.#salvage.incomplete || vanished;
    if (removed.length === 0 && !incomplete && missing === 0) return;
    const rows = [
      TABLES.meta('schema', SCHEMA_VERSION),
      ...(['statements', 'revision', 'served-as'] as const).map((key) => TABLES.meta(key, undefined)),
    ];
    if (incomplete || missing > 0 || removed.some(isNoQuad)) rows.push(...(await this.#readAgain()));
    await this.#store.write({ rows, durable: true });
  }

  /** Where a row is good, the quads of the component are what it says. */
  async #matchRows(): Promise<void> {
    const names = new Map<number, string>();
    for await (const [name, number] of this.#store.rows<number>('graph')) names.set(number, name);
    let mended = 0;
    for await (const page of this.#store.texts('statement')) {
      for (const [key, row] of page) {
        const { uri, graph } = readStatementKey(key);
        const name = names.get(graph);
        if (name === undefined) continue;
        const described = this.#described.get(name) ?? new Set<string>();
        this.#described.set(name, described.add(uri));
        this.#found += 1;
        if (await this.#match(name, uri, row)) mended += 1;
        await this.#breathe();
      }
    }
    if (mended === 0) return;
    this.#findings.damaged.push(`the quads of ${mended} components are not what their rows say`);
    this.#findings.rebuilt.push(`the quads of ${mended} components, from their rows`);
  }

  async #match(name: string, uri: string, row: string): Promise<boolean> {
    const { text, plain } = readStatementRow(row);
    const graph = DataFactory.namedNode(name);
    const metadata = readPlain(Buffer.from(text).subarray(plain).toString());
    const wanted = storedQuads(metadata, this.#naming.vocabulary, graph);
    const there: Quad[] = [];
    for await (const quads of this.#store.read({ graph, subject: DataFactory.namedNode(uri) }))
      there.push(...quads);
    const remove = there.filter((quad) => !wanted.some((other) => other.equals(quad)));
    const add = wanted.filter((quad) => !there.some((other) => other.equals(quad)));
    await this.#change(remove, add);
    return remove.length + add.length > 0;
  }

  /** Where there are quads and no row, the quads stand for it, unless some of them may be missing. */
  async #judgeQuadsWithoutRows(vanished: boolean): Promise<void> {
    const isWhole = vanished ? () => false : await this.#wholeGraphs();
    const { rebuilt, lost } = this.#findings;
    let found = 0;
    for await (const quads of subjectsOf(this.#store.read({}))) {
      const graph = quads[0]?.graph.value ?? '';
      const subject = quads[0]?.subject.value ?? '';
      if (!readGraphName(graph) || this.#described.get(graph)?.has(subject)) continue;
      if (isWhole(graph)) {
        found += componentsFromQuads(quads, this.#naming.vocabulary).components.length;
      } else {
        await this.#change(quads, []);
        lost.push(`the description of ${subject} in the graph ${graph}: not all of it is left`);
      }
    }
    this.#found += found;
    if (found > 0) rebuilt.push(`the rows of ${found} components, from their quads`);
  }

  /** Tells graphs all of whose quads are there, if their rows are not. */
  async #wholeGraphs(): Promise<(graph: string) => boolean> {
    const { removed, incomplete } = this.#salvage;
    const damaged = new Set(removed.filter((key) => !isNoQuad(key)).map(graphOf));
    const known = new Set<string>();
    for await (const [name] of this.#store.rows('graph')) known.add(name);
    // The name itself may be what is damaged: then nothing tells which graph it was.
    const unknown = [...damaged].some((name) => !known.has(name));
    return (graph) => !(incomplete || unknown || damaged.has(graph));
  }

  /** Are there other rows than have been recorded, for no reason that was found? Then quads may be missing, too. */
  async #vanished(): Promise<boolean> {
    const note = await this.#note();
    // Rows that are being made anew do not count.
    if (!note || note.writtenAs === '') return false;
    const removed = this.#salvage.removed.filter((key) => key.startsWith('!statement!')).length;
    if (note.count === this.#found + removed) return false;
    const { damaged } = this.#findings;
    damaged.push(`${note.count} descriptions of components have been stored, and there are ${this.#found}`);
    return true;
  }

  /** How many descriptions there are fewer than have been recorded. */
  async #missing(): Promise<number> {
    const note = await this.#note();
    const missing = note ? note.count - this.#found : 0;
    if (missing > 0) {
      this.#findings.lost.push(`${missing} of ${note?.count} descriptions of components`);
    }
    return missing;
  }

  #note(): Promise<StatementsNote | undefined> {
    return this.#store.row<StatementsNote>('meta', 'statements');
  }

  /** Forgets what would keep a poll from reading everything: validators, and what peers are asked with. */
  async #readAgain(): Promise<Row[]> {
    const rows: Row[] = [];
    for await (const [key, record] of this.#store.rows<DocumentRecord>('document')) {
      rows.push({ table: 'document', key, value: unread(record) });
    }
    for await (const [key] of this.#store.rows<SourceRecord>('source')) {
      rows.push({ table: 'source', key, value: { failures: 0 } satisfies SourceRecord });
    }
    this.#findings.lost.push(
      'perhaps the latest changes; all pods and peers will be read again in full at the next start',
      `what was posted to this node, and is not in the graph ${LOCAL.url} any more, has to be posted again`,
    );
    return rows;
  }

  async #change(remove: readonly Quad[], add: readonly Quad[]): Promise<void> {
    this.#changes.remove.push(...remove);
    this.#changes.add.push(...add);
    if (this.#changes.remove.length + this.#changes.add.length >= BATCH) await this.#flush();
  }

  async #flush(): Promise<void> {
    await this.#store.write({ ...this.#changes, durable: true });
    this.#changes = { remove: [], add: [] };
  }
}

function isNoQuad(key: string): boolean {
  return key.startsWith('!');
}

function graphOf(key: string): string {
  return key.split('\0\0')[1] ?? '';
}
