import type { OpenRegistry } from '../../../src/registry/registry.js';
import type { State } from '../../../src/registry/state.js';
import type { DatabaseParts } from '../../../src/store/postgres/connection/database.js';
import { Database } from '../../../src/store/postgres/connection/database.js';
import type { Session } from '../../../src/store/postgres/connection/session.js';
import { PostgresPolls } from '../../../src/store/postgres/postgres-polls.js';
import { PublishedState } from '../../../src/store/postgres/published-state.js';
import { LatestReads } from '../../../src/store/postgres/reading/latest-reads.js';
import { RegularLook } from '../../../src/store/postgres/regular-look.js';
import type { LoadOptions, RegistryStore } from '../../../src/store/registry-store.js';
import type { Opener } from '../nodes/storage.js';
import { ModelCatalog } from './model-catalog.js';
import { ModelRegistry } from './model-registry.js';

/** Less often than in production, so that an hour is not mostly made of looks; and how often a process says that it is there. */
const TIMES = { lookMs: 1_000, signMs: 3_000 };
const NO_LOG = { warn: () => undefined };

/**
 * The engine postgres on the model of a database: leases, histories, commits of unknown outcome and what is published are its
 * own code. Only what a commit writes, and what a page shows, is that of the memory engine.
 */
export class ModelStore implements RegistryStore {
  readonly shared: PostgresPolls;
  readonly #database: Database;
  readonly #opener: Opener;
  readonly #node: string;
  readonly #closing = new AbortController();
  #look: RegularLook | undefined;
  #published: PublishedState | undefined;

  /** `node` names the process among those that share the database. */
  constructor(connections: DatabaseParts['connections'], opener: Opener, node: string) {
    const { clock, random } = opener;
    this.#database = new Database({ connections, clock, random, log: NO_LOG });
    this.#opener = opener;
    this.#node = node;
    this.shared = new PostgresPolls(this.#database, node);
  }

  /** The state that the process tells of, where it has been awake for so many ms, and hears of its database. */
  told(awake: number): State | undefined {
    const { life, now } = this.#opener;
    const hasHeard = !life.isPaused && now() - life.awakeSince >= awake && !this.trouble;
    return hasHeard && this.#published?.shown ? this.#published.current.state : undefined;
  }

  get trouble() {
    return this.#database.trouble;
  }

  async load(options: LoadOptions): Promise<OpenRegistry> {
    const database = this.#database;
    const published = new PublishedState(options.random);
    this.#published = published;
    const parts = { database, published, options, node: this.#node };
    const registry = new ModelRegistry({ ...parts, opener: this.#opener, close: () => this.close() });
    await registry.begin();
    const sign = (session: Session) => this.shared.renew(session);
    this.#look = await RegularLook.begin({
      ...{ database, published, polls: this.shared, clock: this.#opener.clock, log: NO_LOG, sign, ...TIMES },
      signal: this.#closing.signal,
    });
    const catalog = new ModelCatalog({ published, options, reads: new LatestReads(database, published) });
    const noPins = async () => {
      throw new Error('modules are not pinned in simulated networks');
    };
    const pins = { change: noPins, get: noPins, list: noPins, counts: async () => ({ all: 0, changed: 0 }) };
    return { registry, catalog, pins };
  }

  async close(): Promise<void> {
    this.#closing.abort();
    if (!this.trouble) await this.#look?.ended;
    await this.#database.close();
  }
}
