import type { PoolClient, QueryResultRow } from 'pg';
import type { Clock } from '../../../lib/clock.js';
import { explained } from './failure.js';
import { type Session, sessionOn } from './session.js';

/** How long a snapshot may lie unused, in ms: it keeps a connection, and keeps the server from tidying up. */
const LONGEST_REST = 10_000;

/** A state of the database, read in as many statements as it takes. It ends when it is closed, or not used for a while. */
export class Snapshot implements Session {
  readonly #client: PoolClient;
  readonly #session: Session;
  readonly #clock: Clock;
  readonly #onClose: () => void;
  #resting: AbortController | undefined;
  #open = true;

  constructor(
    client: PoolClient,
    { clock, onClose }: { readonly clock: Clock; readonly onClose: () => void },
  ) {
    this.#client = client;
    this.#session = sessionOn(client);
    this.#clock = clock;
    this.#onClose = onClose;
    client.on('error', ignore);
    this.#rest();
  }

  get isOpen(): boolean {
    return this.#open;
  }

  /** @throws StoreUnavailable; Error when it has been closed */
  async rows<R extends QueryResultRow>(text: string, values: readonly unknown[] = []): Promise<R[]> {
    if (!this.#open) throw new Error('What was to be read was not asked for in time; ask again');
    this.#resting?.abort();
    try {
      return await this.#session.rows<R>(text, values);
    } catch (error) {
      await this.close(true);
      throw explained(error);
    } finally {
      if (this.#open) this.#rest();
    }
  }

  async close(isBroken = false): Promise<void> {
    if (!this.#open) return;
    this.#open = false;
    this.#resting?.abort();
    const failed =
      isBroken ||
      (await this.#client.query('COMMIT').then(
        () => false,
        () => true,
      ));
    this.#client.off('error', ignore);
    this.#client.release(failed);
    this.#onClose();
  }

  #rest(): void {
    const resting = new AbortController();
    this.#resting = resting;
    this.#clock.sleep(LONGEST_REST, resting.signal).then(
      () => this.close(),
      () => undefined,
    );
  }
}

/** A connection may break between two statements; the next statement says so. */
function ignore(): undefined {
  return undefined;
}
