import { randomUUID } from 'node:crypto';
import type { Clock } from '../../lib/clock.js';
import type { OpenRegistry } from '../../registry/registry.js';
import type { LoadOptions, RegistryStore, StoreLog } from '../registry-store.js';
import { unusableDatabase } from './connection/advice.js';
import { dropClaim, NODE_LIFETIME, renewClaim } from './connection/claim.js';
import type { Database } from './connection/database.js';
import type { Session } from './connection/session.js';
import { load, signNode } from './loading.js';
import { openDatabase, type PostgresStoreOptions } from './open-database.js';
import { PostgresCatalog } from './postgres-catalog.js';
import { PostgresPins } from './postgres-pins.js';
import { PostgresPolls } from './postgres-polls.js';
import { PostgresRegistry } from './postgres-registry.js';
import { PublishedState } from './published-state.js';
import { SourceView } from './reading/source-view.js';
import { RegularLook } from './regular-look.js';
import { REGISTRY_LAYOUT } from './schema/layout.js';
import { makeTables } from './schema/make-tables.js';
import { indexWords } from './schema/word-index.js';

/** Nobody asks any more what became of commits that are an hour old. */
const FORGET_TOKENS = `DELETE FROM registry.commit_token WHERE made < now() - interval '1 hour'`;

/** How often a node says that it is there, in ms. */
const SIGN_INTERVAL = (NODE_LIFETIME * 1000) / 5;

/**
 * Opens the registry's tables in a database, and makes them if need be. Other nodes may use them at the same time.
 * @throws UnusableData for an address that cannot be read, a database that refuses, or a newer schema
 */
export async function openPostgresStore(options: PostgresStoreOptions): Promise<RegistryStore> {
  const database = await openDatabase(options);
  const store = new PostgresStore(database, options);
  try {
    await makeTables(database, 'registry', REGISTRY_LAYOUT);
    store.areWordsIndexed = await indexWords(database);
  } catch (error) {
    await store.close();
    throw unusableDatabase(database.described, error);
  }
  return store;
}

class PostgresStore implements RegistryStore {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #log: StoreLog;
  readonly #signMs: number;
  readonly #node = randomUUID();
  readonly #holder: string | undefined;
  #baseUrl = '';
  areWordsIndexed = false;
  readonly shared: PostgresPolls;
  readonly #closing = new AbortController();
  #look: RegularLook | undefined;

  constructor(
    database: Database,
    {
      clock,
      log,
      signMs = SIGN_INTERVAL,
      holder,
    }: Pick<PostgresStoreOptions, 'clock' | 'log' | 'signMs' | 'holder'>,
  ) {
    this.#holder = holder;
    this.#signMs = signMs;
    this.#database = database;
    this.#clock = clock;
    this.#log = log;
    this.shared = new PostgresPolls(database, this.#node);
  }

  get trouble() {
    return this.#database.trouble;
  }

  async load(options: LoadOptions): Promise<OpenRegistry> {
    const database = this.#database;
    const published = new PublishedState(options.random);
    this.#baseUrl = options.baseUrl;
    const user = { node: this.#node, holder: this.#holder };
    await database.write((session) => load(session, user, options));
    this.#look = await RegularLook.begin({
      database,
      published,
      polls: this.shared,
      clock: this.#clock,
      log: this.#log,
      sign: (session) => this.#sign(session),
      signMs: this.#signMs,
      signal: this.#closing.signal,
    });
    const { precedence, clock, pace } = options;
    const parts = { database, published, precedence };
    const close = () => this.close();
    const view = new SourceView(database, clock, () => published.current.state.revision.epoch);
    this.shared.watch((source) => view.change(source));
    const registry = new PostgresRegistry({ ...parts, view, clock, pace, node: this.#node, close });
    const pins = new PostgresPins({ database, published, clock });
    const catalog = new PostgresCatalog({ ...parts, areWordsIndexed: this.areWordsIndexed });
    return { registry, catalog, pins };
  }

  async close(): Promise<void> {
    if (this.#closing.signal.aborted) return;
    this.#closing.abort();
    // Whoever is in trouble leaves without a word: nodes that say nothing count as gone soon.
    if (!this.trouble && this.#look) {
      await this.#look.ended;
      await this.#leave();
    }
    await this.#database.close();
  }

  /** Says that this node is there, and lets go of what nobody asks for any more. */
  async #sign(session: Session): Promise<void> {
    if (this.#holder === undefined) await signNode(session, this.#node, this.#baseUrl);
    else await renewClaim(session, this.#holder);
    await this.shared.renew(session);
    await session.rows(FORGET_TOKENS);
  }

  async #leave(): Promise<void> {
    await this.#database
      .change(async (session) => {
        await session.rows('DELETE FROM registry.node WHERE id = $1', [this.#node]);
        if (this.#holder !== undefined) await dropClaim(session, this.#holder);
      })
      // It counts as gone soon all the same.
      .catch(() => undefined);
  }
}
