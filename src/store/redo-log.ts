import type { Naming } from '../component/codec.js';
import type { QuadStore, Row } from './quad-store.js';
import { type GraphReplacements, quadChange } from './replacement.js';
import { TABLES } from './tables.js';

/** Components whose quads are written in one batch: a few megabytes. */
export const BATCH = 200;

/** A change that is written down whole, and not decided yet. */
export interface Intent {
  /** Decides it: to be written in one batch with everything that has to change at the same instant. */
  readonly decision: Row;
  /** Carries out what was decided; may be called again when it failed. */
  carryOut(): Promise<void>;
}

/**
 * How a change too large for one batch is still atomic: what is to happen is written down first, in parts.
 * Then one small batch decides that it happens, and only then does it happen, part by part. A crash before
 * the decision leaves notes that mean nothing; after it, the next start does what is left to be done. Every
 * part is flushed, because LevelDB keeps the order of two batches over a power failure only then.
 */
export class RedoLog {
  readonly #store: QuadStore;
  readonly #naming: Naming;
  #next = 0;

  constructor(store: QuadStore, naming: Naming) {
    this.#store = store;
    this.#naming = naming;
  }

  /** Does what was decided before a crash, and throws away what was not. */
  async recover(): Promise<void> {
    const decided = new Set<string>();
    for await (const [id] of this.#store.rows('decision')) decided.add(id);
    for await (const [key] of this.#store.rows('intent')) {
      if (!decided.has(intentOf(key)))
        await this.#store.write({ rows: [TABLES.intent(key)], durable: false });
    }
    for (const id of decided) await this.#carryOut(id, this.#store.rows('intent', `${id} `));
  }

  async note(graphs: readonly GraphReplacements[]): Promise<Intent> {
    this.#next += 1;
    const id = this.#next.toString(36);
    const parts: [key: string, part: GraphReplacements][] = [];
    for (const { replacements, ...graph } of graphs) {
      for (let at = 0; at < replacements.length; at += BATCH) {
        const part = { ...graph, replacements: replacements.slice(at, at + BATCH) };
        const key = keyOf(id, parts.length);
        parts.push([key, part]);
        await this.#store.write({ rows: [TABLES.intent(key, part)], durable: true });
      }
    }
    return { decision: TABLES.decision(id, true), carryOut: () => this.#carryOut(id, parts) };
  }

  async #carryOut(
    id: string,
    parts:
      | Iterable<[key: string, part: GraphReplacements]>
      | AsyncIterable<[key: string, part: GraphReplacements]>,
  ): Promise<void> {
    for await (const [key, part] of parts) {
      const { remove, add, rows } = await quadChange([part], this.#naming);
      await this.#store.write({ remove, add, rows: [...rows, TABLES.intent(key)], durable: true });
    }
    await this.#store.write({ rows: [TABLES.decision(id)], durable: true });
  }
}

const keyOf = (id: string, part: number) => `${id} ${String(part).padStart(8, '0')}`;
const intentOf = (key: string) => key.slice(0, key.indexOf(' '));
