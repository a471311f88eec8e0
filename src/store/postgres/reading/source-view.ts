import { type Source, sourceKey } from '../../../component/source.js';
import { type Clock, elapsed } from '../../../lib/clock.js';
import type { StoredSource } from '../../../registry/source-record.js';
import type { Database } from '../connection/database.js';
import type { Session } from '../connection/session.js';
import { readStoredSource, readStoredSources } from './stored-sources.js';

/** After so many ms all is read again: other nodes also change what no poll tells of. */
const READ_AGAIN_MS = 10_000;
/** Changed sources that are read one by one. */
const ONE_BY_ONE = 50;

/**
 * What is remembered of all sources, as of now for this node and as of the last poll for the others. Everybody may ask for
 * it: only what has changed since the last question is read.
 */
export class SourceView {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #history: () => string;
  #known = new Map<string, StoredSource>();
  #readAt: number | undefined;
  #readOf = '';
  /** Sources that have changed since they were read. */
  #changed = new Map<string, Source>();
  /** One reading comes after the other: each finds what the one before it has left to read. */
  #reading: Promise<unknown> = Promise.resolve();

  /** `history`: which one the registry tells, by its epoch. */
  constructor(database: Database, clock: Clock, history: () => string) {
    this.#database = database;
    this.#clock = clock;
    this.#history = history;
  }

  /** To be told of each change, before it is acknowledged. */
  change(source: Source): void {
    this.#changed.set(sourceKey(source), source);
  }

  /** While the database is away, as they were at the last look. */
  async sources(): Promise<readonly StoredSource[]> {
    if (this.#database.isAway && this.#readAt !== undefined) return [...this.#known.values()];
    const reading = this.#reading.catch(() => undefined).then(() => this.#read());
    this.#reading = reading;
    await reading;
    return [...this.#known.values()];
  }

  async #read(): Promise<void> {
    const now = this.#clock.now();
    const history = this.#history();
    const readAt = this.#readOf === history ? this.#readAt : undefined;
    const isOld = readAt === undefined || elapsed(readAt, now) >= READ_AGAIN_MS;
    const changed = this.#changed;
    this.#changed = new Map();
    try {
      if (isOld || changed.size > ONE_BY_ONE) {
        const all = await this.#database.read(readStoredSources);
        this.#known = new Map(all.map((stored) => [sourceKey(stored.source), stored]));
        this.#readAt = now;
        this.#readOf = history;
      } else if (changed.size > 0) await this.#database.read((session) => this.#readEach(session, changed));
    } catch (error) {
      this.#changed = new Map([...changed, ...this.#changed]);
      throw error;
    }
  }

  async #readEach(session: Session, changed: ReadonlyMap<string, Source>): Promise<void> {
    for (const [key, source] of changed) {
      const stored = await readStoredSource(session, source);
      if (stored) this.#known.set(key, stored);
      else this.#known.delete(key);
    }
  }
}
