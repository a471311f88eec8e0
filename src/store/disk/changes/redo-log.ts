import { sizeOf } from '../../../component/component-size.js';
import { type Source, sourceKey } from '../../../component/source.js';
import { explain } from '../../../lib/faults.js';
import type { Change } from '../../../registry/change.js';
import type { LoadOptions } from '../../registry-store.js';
import type { QuadChange, QuadStore, Row } from '../database/quad-store.js';
import { type Decision, TABLES } from '../database/tables.js';
import type { EntryChange } from './difference.js';
import { type GraphReplacements, quadChange, statementRows } from './graph-replacements.js';

/** Components whose quads are written in one batch: a few megabytes. */
export const BATCH = 200;

/** Characters of what they say, at most; the database takes several times as much memory for a batch. */
const BATCH_CHARACTERS = 500_000;
/** Larger changes are not written in one batch. */
const LARGE = { components: 1000, characters: 2_000_000 } as const;

type RedoOptions = Pick<LoadOptions, 'vocabulary' | 'pace'> & Partial<Pick<LoadOptions, 'log'>>;

/** What happens to a part of one graph, and the key under which it is noted. */
type Part = readonly [key: string, part: GraphReplacements];

/** A change that is written down whole, and not decided yet. */
export interface Intent {
  /** Decides it: to be written in one batch with everything that has to change at the same instant. */
  decide(decision: Decision): Row;
  /** Carries out what was decided; may be called again when it failed. */
  carryOut(): Promise<void>;
  /** Takes the notes away, because it will not be decided. Never rejects: the next start takes away what is left of them. */
  discard(): Promise<void>;
}

/**
 * How a change too large for one batch is still atomic: what is to happen is written down first, in parts.
 * Then one small batch decides that it happens, and only then does it happen, part by part. A crash before
 * the decision leaves notes that mean nothing; after it, the next start does what is left to be done. Every
 * part is flushed, because LevelDB keeps the order of two batches over a power failure only then.
 */
export class RedoLog {
  readonly #store: QuadStore;
  readonly #options: RedoOptions;
  /** What was decided for a source and could not be carried out, by the source's key. */
  readonly #unfinished = new Map<string, Intent>();
  /** What was noted, and neither carried out nor discarded. */
  readonly #open = new Set<string>();
  #next = 0;

  constructor(store: QuadStore, options: RedoOptions) {
    this.#store = store;
    this.#options = options;
  }

  /** Does what was decided before a crash, and throws away what was not. */
  async recover(): Promise<void> {
    const decided = new Map<string, Decision>();
    for await (const [id, decision] of this.#store.rows<Decision>('decision')) {
      decided.set(id, decision);
    }
    for await (const [key] of this.#store.rows('intent')) {
      if (!decided.has(intentOf(key)))
        await this.#store.write({ rows: [TABLES.intent(key)], durable: false });
    }
    for (const [id, decision] of decided) {
      await this.#carryOut(id, decision, this.#store.rows('intent', `${id} `));
    }
  }

  /** Are the quads what has been decided? */
  get isIdle(): boolean {
    return this.#open.size === 0;
  }

  async note(graphs: readonly GraphReplacements[]): Promise<Intent> {
    this.#next += 1;
    const id = this.#next.toString(36);
    this.#open.add(id);
    const parts: Part[] = [];
    const writer = new Writer(this.#store);
    for await (const bundle of bundles(partsOf(id, graphs))) {
      parts.push(...bundle);
      await writer.write({ rows: bundle.map(intentRow), durable: true });
    }
    await writer.finished();
    let decided: Decision = { base: 0, at: 0 };
    return {
      decide(decision) {
        decided = decision;
        return TABLES.decision(id, decision);
      },
      carryOut: () => this.#carryOut(id, decided, parts),
      discard: async () => {
        this.#open.delete(id);
        await this.#discard(parts);
      },
    };
  }

  /** Carries out what is decided and on disk. Should that fail now, it is done before the next change, or at the next start. */
  async carryOut(intent: Intent, source: Source): Promise<void> {
    this.#unfinished.set(sourceKey(source), intent);
    await this.finish(source).catch((error) => {
      this.#options.log?.warn(
        { kind: source.kind, source: source.url, error: explain(error) },
        'a large change is decided, but could not be carried out; it is tried again before the next change',
      );
    });
  }

  /** Before the next change of a source: does what was decided for it and could not be carried out. */
  async finish(source: Source): Promise<void> {
    const key = sourceKey(source);
    await this.#unfinished.get(key)?.carryOut();
    this.#unfinished.delete(key);
  }

  async #discard(parts: readonly Part[]): Promise<void> {
    const rows = parts.map(([key]) => TABLES.intent(key));
    await this.#store.write({ rows, durable: false }).catch(() => undefined);
  }

  async #carryOut(
    id: string,
    decision: Decision,
    parts: Iterable<Part> | AsyncIterable<Part>,
  ): Promise<void> {
    const writer = new Writer(this.#store);
    for await (const bundle of bundles(parts)) {
      const graphs = bundle.map(([, part]) => part);
      const { remove, add } = await quadChange(graphs, this.#options);
      const rows = bundle.flatMap(([key, part]) => [
        ...statementRows({ ...part, from: part.from ?? 0 }, decision),
        TABLES.intent(key),
      ]);
      await writer.write({ remove, add, rows, durable: true });
    }
    await writer.finished();
    await this.#store.write({ rows: [TABLES.decision(id)], durable: true });
    this.#open.delete(id);
  }
}

/** Writes one change after another, and puts the next one together while the disk is busy with the one before. */
class Writer {
  readonly #store: QuadStore;
  #busy: Promise<void> = Promise.resolve();

  constructor(store: QuadStore) {
    this.#store = store;
  }

  /** Resolves when the change will be written next; rejects when the one before it could not be. */
  async write(change: QuadChange): Promise<void> {
    const prepared = await this.#store.prepare(change);
    try {
      await this.#busy;
    } catch (error) {
      await prepared.discard();
      throw error;
    }
    this.#busy = prepared.write();
    // Whoever waits for it hears of it.
    this.#busy.catch(() => undefined);
  }

  finished(): Promise<void> {
    return this.#busy;
  }
}

/** Is it too much for one batch? */
export function isLarge(graphs: readonly GraphReplacements[]): boolean {
  const left = { components: LARGE.components, characters: LARGE.characters };
  for (const { replacements } of graphs) {
    left.components -= replacements.length;
    if (left.components < 0) return true;
    for (const change of replacements) left.characters -= charactersOf(change);
    if (left.characters < 0) return true;
  }
  return false;
}

/** Of one graph each, and of so many components that one batch takes them. */
function* partsOf(id: string, graphs: readonly GraphReplacements[]): Generator<Part> {
  let count = 0;
  for (const { replacements, from, ...graph } of graphs) {
    let at = 0;
    for (const batch of inBatches(replacements)) {
      yield [keyOf(id, count), { ...graph, from: from + at, replacements: batch }];
      count += 1;
      at += batch.length;
    }
  }
}

/**
 * Parts that are written in one batch. A pod of thousands of documents with a component each would have to be flushed
 * to disk thousands of times otherwise.
 */
async function* bundles(parts: Iterable<Part> | AsyncIterable<Part>): AsyncGenerator<Part[]> {
  let bundle: Part[] = [];
  const size = { components: 0, characters: 0 };
  for await (const part of parts) {
    const { replacements } = part[1];
    const characters = replacements.reduce((sum, change) => sum + charactersOf(change), 0);
    const isFull =
      size.components + replacements.length > BATCH || size.characters + characters > BATCH_CHARACTERS;
    if (bundle.length > 0 && isFull) {
      yield bundle;
      bundle = [];
      Object.assign(size, { components: 0, characters: 0 });
    }
    bundle.push(part);
    size.components += replacements.length;
    size.characters += characters;
  }
  if (bundle.length > 0) yield bundle;
}

function intentRow([key, { replacements, ...graph }]: Part): Row {
  return TABLES.intent(key, {
    ...graph,
    replacements: replacements.map(({ before, after, was }) => ({ before, after, was })),
  });
}

function* inBatches(changes: readonly EntryChange[]): Generator<EntryChange[]> {
  let batch: EntryChange[] = [];
  let characters = 0;
  for (const change of changes) {
    if (batch.length === BATCH || characters >= BATCH_CHARACTERS) {
      yield batch;
      batch = [];
      characters = 0;
    }
    batch.push(change);
    characters += charactersOf(change);
  }
  if (batch.length > 0) yield batch;
}

function charactersOf({ before, after }: Change): number {
  return (before ? sizeOf(before) : 0) + (after ? sizeOf(after) : 0);
}

const keyOf = (id: string, part: number) => `${id} ${String(part).padStart(8, '0')}`;
const intentOf = (key: string) => key.slice(0, key.indexOf(' '));
