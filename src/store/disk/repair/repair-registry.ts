import type { Quad } from '@rdfjs/types';
import { componentsFromQuads } from '../../../component/reading/descriptions.js';
import { LOCAL, sourceKey } from '../../../component/source.js';
import { createVocabulary, type Vocabulary } from '../../../component/vocabulary.js';
import type { Clock } from '../../../lib/clock.js';
import type { Breather, Pace } from '../../../lib/pace.js';
import { type DocumentRecord, unread } from '../../../registry/document-record.js';
import type { SourceRecord } from '../../../registry/source-record.js';
import { BATCH, RedoLog } from '../changes/redo-log.js';
import { readGraphName } from '../database/graph-name.js';
import { quadOf } from '../database/quad-keys.js';
import { QuadStore, type Row } from '../database/quad-store.js';
import { readStatementKey, readStatementRow } from '../database/statement-row.js';
import type { StatementsNote } from '../database/statements-note.js';
import { SCHEMA_VERSION, TABLES } from '../database/tables.js';
import { OTHERWISE, otherSources } from '../loading/check-quads.js';
import type { StoredHashes } from '../loading/load-changes.js';
import { subjectsOf } from '../loading/rebuild.js';
import type { Findings, Reconcile, Salvage } from './repair.js';
import { restoreQuads } from './restore-quads.js';

export interface RepairOptions {
  readonly vocabulary: Vocabulary;
  readonly clock: Clock;
  readonly pace: Pace;
}

/**
 * Makes a registry's database consistent again. What a source says is stored once, as quads: a description that has lost
 * some of them goes. Where a row is gone, the quads stand for it if none of their graph were damaged; the next start
 * makes the row anew. When anything may be missing, or is not what the digests tell, all documents are read again from
 * their sources. The revision begins a new epoch: numbers may have been used for what is lost.
 */
export function reconcileRegistry({ clock, pace, vocabulary }: RepairOptions): Reconcile {
  return async (level, salvage, findings) => {
    const store = await QuadStore.open(level, { clock, pace });
    try {
      const namespace = (await store.row<string>('meta', 'vocabulary')) ?? vocabulary.namespace;
      const written = { pace, vocabulary: createVocabulary(namespace) };
      await new RedoLog(store, written).recover();
      await new Reconciliation(store, written, salvage, findings).run();
    } finally {
      await store.close();
    }
  };
}

class Reconciliation {
  readonly #store: QuadStore;
  readonly #vocabulary: Vocabulary;
  readonly #salvage: Salvage;
  readonly #findings: Findings;
  /** Components that have rows, by the name of the graph; and how many rows there are. */
  readonly #described = new Map<string, Set<string>>();
  #rows = 0;
  readonly #pace: Pace;
  readonly #breathe: Breather;
  #remove: Quad[] = [];
  #found = 0;

  constructor(
    store: QuadStore,
    { vocabulary, pace }: { readonly vocabulary: Vocabulary; readonly pace: Pace },
    salvage: Salvage,
    findings: Findings,
  ) {
    this.#store = store;
    this.#vocabulary = vocabulary;
    this.#pace = pace;
    this.#breathe = pace();
    this.#salvage = salvage;
    this.#findings = findings;
  }

  async run(): Promise<void> {
    const { removed, directory } = this.#salvage;
    const damaged = await this.#otherSources();
    const parts = { directory, vocabulary: this.#vocabulary, pace: this.#pace };
    const restored = await restoreQuads(this.#store, damaged, parts);
    if (restored > 0)
      this.#findings.rebuilt.push(`what is said of ${restored} components, from the snapshot of the catalog`);
    await this.#judgeRows();
    const vanished = await this.#vanished();
    await this.#judgeQuadsWithoutRows(vanished);
    await this.#flush();
    const isSame = restored === 0 && this.#findings.lost.length === 0;
    const others = isSame ? damaged : await this.#otherSources();
    const missing = await this.#missing();
    for (const source of new Set([...damaged, ...others].map((one) => sourceKey(one.source))))
      this.#findings.damaged.push(`the quads of the ${source} ${OTHERWISE}`);
    const incomplete = this.#salvage.incomplete || vanished;
    if (removed.length === 0 && !incomplete && missing === 0 && others.length === 0) return;
    // Digests of what is not there are made anew at the next start.
    const digests = others.flatMap(({ source, hashes }) =>
      [...hashes.keys()].map((of) => TABLES.hash(source, of, undefined)),
    );
    const rows = [
      TABLES.meta('schema', SCHEMA_VERSION),
      ...(['statements', 'revision', 'served-as'] as const).map((key) => TABLES.meta(key, undefined)),
      ...digests,
    ];
    rows.push(...(await this.#readAgain()));
    await this.#store.write({ rows, durable: true });
  }

  #otherSources(): Promise<StoredHashes[]> {
    return otherSources(this.#store, this.#vocabulary);
  }

  /** A row tells how many quads there are to be of a component. Where there are fewer, all of it goes. */
  async #judgeRows(): Promise<void> {
    const names = new Map<number, string>();
    for await (const [name, number] of this.#store.rows<number>('graph')) names.set(number, name);
    let incomplete = 0;
    for await (const page of this.#store.texts('statement')) {
      for (const [key, row] of page) {
        const { uri, graph } = readStatementKey(key);
        const name = names.get(graph);
        this.#rows += 1;
        if (name === undefined) continue;
        const described = this.#described.get(name) ?? new Set<string>();
        this.#described.set(name, described.add(uri));
        const quads = await this.#quadsAbout(name, uri);
        if (this.#isWhole(quads, readStatementRow(row).quads)) this.#found += 1;
        else {
          incomplete += 1;
          await this.#drop(quads, uri, name);
        }
        await this.#breathe();
      }
    }
    if (incomplete > 0) this.#findings.damaged.push(`not all quads of ${incomplete} components are there`);
  }

  async #quadsAbout(graph: string, uri: string): Promise<Quad[]> {
    const cursor = this.#store.cursor(graph);
    try {
      return (await cursor.about(uri)).map(quadOf);
    } finally {
      await cursor.close();
    }
  }

  #isWhole(quads: readonly Quad[], count: number): boolean {
    const { components } = componentsFromQuads(quads, this.#vocabulary);
    return components.length > 0 && quads.length >= count;
  }

  /** Where there are quads and no row, the quads stand for it, unless some of them may be missing. */
  async #judgeQuadsWithoutRows(vanished: boolean): Promise<void> {
    const isWhole = vanished ? () => false : await this.#wholeGraphs();
    let found = 0;
    for await (const quads of subjectsOf(this.#store.read())) {
      const graph = quads[0]?.graph.value ?? '';
      const subject = quads[0]?.subject.value ?? '';
      if (!readGraphName(graph) || this.#described.get(graph)?.has(subject)) continue;
      if (isWhole(graph)) {
        found += componentsFromQuads(quads, this.#vocabulary).components.length;
      } else {
        await this.#drop(quads, subject, graph);
      }
    }
    this.#found += found;
    if (found > 0) this.#findings.rebuilt.push(`the rows of ${found} components, from their quads`);
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
    const removed = this.#salvage.removed.filter((key) => key.startsWith('!statement!')).length;
    const rows = this.#rows + removed;
    if (!note || note.count === rows) return false;
    const { damaged } = this.#findings;
    damaged.push(`${note.count} descriptions of components have been stored, and there are rows of ${rows}`);
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

  async #drop(quads: readonly Quad[], subject: string, graph: string): Promise<void> {
    this.#findings.lost.push(`the description of ${subject} in the graph ${graph}: not all of it is left`);
    this.#remove.push(...quads);
    if (this.#remove.length >= BATCH) await this.#flush();
  }

  async #flush(): Promise<void> {
    await this.#store.write({ remove: this.#remove.splice(0), durable: true });
  }
}

function isNoQuad(key: string): boolean {
  return key.startsWith('!');
}

function graphOf(key: string): string {
  return key.split('\0\0')[1] ?? '';
}
