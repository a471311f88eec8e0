import { randomUUID } from 'node:crypto';
import type { Clock } from '../../lib/clock.js';
import type { OpenRegistry } from '../../registry/registry.js';
import type { LoadOptions, RegistryStore, StoreLog } from '../registry-store.js';
import { unusableDatabase } from './connection/advice.js';
import { dropClaim, NODE_LIFETIME, renewClaim } from './connection/claim.js';
import type { Database } from './connection/database.js';
import { only, type Session } from './connection/session.js';
import { load, signNode } from './loading.js';
import { openDatabase, type PostgresStoreOptions } from './open-database.js';
import { PostgresCatalog } from './postgres-catalog.js';
import { PostgresPins } from './postgres-pins.js';
import { PostgresPolls } from './postgres-polls.js';
import { PostgresRegistry } from './postgres-registry.js';
import { PublishedState } from './published-state.js';
import { SourceView } from './reading/source-view.js';
import { migrate } from './schema/migrate.js';
import { MIGRATIONS } from './schema/migrations.js';
import { indexWords } from './schema/word-index.js';
import { beginHistory } from './writing/history.js';

/** How often a node looks what others have committed, in ms: what was written anywhere is seen everywhere within a second. */
const LOOK_INTERVAL = 300;
interface NewsRow {
  readonly version: number;
  readonly mark: string;
  readonly polls: number;
}

const NEWS = `SELECT h.version, h.mark, p.number AS polls FROM registry.head AS h CROSS JOIN registry.poll AS p
  WHERE h.id = 1 AND p.id = 1`;
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
    await migrate(database, 'registry', MIGRATIONS);
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
  #looking: Promise<void> | undefined;

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
    await database.read((session) => this.#lookOnce(session, published));
    this.#looking = this.#look(published);
    const { precedence, clock, pace } = options;
    const parts = { database, published, precedence };
    const close = () => this.close();
    const view = new SourceView(database, clock);
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
    if (!this.trouble) {
      await this.#looking;
      if (this.#looking) await this.#leave();
    }
    await this.#database.close();
  }

  /** Looks what other nodes have committed, and tells them that this one is there, until the store is closed. */
  async #look(published: PublishedState): Promise<void> {
    const { signal } = this.#closing;
    let signed = this.#clock.now();
    while (await this.#pause(signal)) {
      const isDue = this.#clock.now() - signed >= this.#signMs;
      if (isDue) signed = this.#clock.now();
      try {
        const isContinued = await this.#database.look((session) => this.#lookOnce(session, published));
        if (!isContinued) await this.#beginHistory(published);
        if (isDue) await this.#database.change((session) => this.#sign(session));
      } catch {
        // The database notes and logs its troubles; the next look may find it again.
      }
    }
  }

  /** The database has gone back; unless another node has noticed it before, all of them tell another history from now on. */
  async #beginHistory(published: PublishedState): Promise<void> {
    const { shown } = published;
    const now = this.#clock.now();
    const moved = await this.#database.write((session) => beginHistory(session, published, now));
    if (!moved) return;
    published.show(moved, shown);
    const [before, after] = [shown?.head.position, moved.head.position];
    this.#log.warn(
      { database: this.#database.described, before, after },
      'the database has lost commits that this node has shown: followers of its feed are told to read everything again',
    );
  }

  async #lookOnce(session: Session, published: PublishedState): Promise<boolean> {
    const { polls, ...latest } = only(await session.rows<NewsRow>(NEWS, [], 'news'), 'head');
    const isContinued = await published.refreshIfNot(session, latest);
    await this.shared.tellUntil(session, polls);
    return isContinued;
  }

  /** Says that this node is there, and lets go of what nobody asks for any more. */
  async #sign(session: Session): Promise<void> {
    if (this.#holder === undefined) await signNode(session, this.#node, this.#baseUrl);
    else await renewClaim(session, this.#holder);
    await this.shared.renew(session);
    await session.rows(FORGET_TOKENS);
  }

  /** False when the store is being closed. */
  #pause(signal: AbortSignal): Promise<boolean> {
    return this.#clock.sleep(LOOK_INTERVAL, signal).then(
      () => true,
      () => false,
    );
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
