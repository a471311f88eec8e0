import type { State } from '../../../registry/state.js';
import type { Database } from '../connection/database.js';
import type { Session } from '../connection/session.js';
import type { PublishedState } from '../published-state.js';
import type { Head } from '../writing/head.js';
import { isSameState } from '../writing/history.js';

/** Which version of the head something belongs to. */
export type Stamp = Pick<Head, 'version' | 'mark'>;

/** Times that something is read whose state is not the one that is known, before a snapshot decides. */
const TRIES = 3;

/** Reads what belongs to the state that this node shows, or to a later one. */
export class LatestReads {
  readonly #database: Database;
  readonly #published: PublishedState;

  constructor(database: Database, published: PublishedState) {
    this.#database = database;
    this.#published = published;
  }

  /** What one statement finds, which also says to which version it belongs. */
  async stamped<T extends Stamp>(
    read: (session: Session) => Promise<T>,
  ): Promise<{ readonly state: State; readonly found: T }> {
    const database = this.#database;
    const published = this.#published;
    for (let tries = 0; tries < TRIES; tries++) {
      const latest = await database.read(async (session) => {
        const found = await read(session);
        const isKnown = isSameState(published.current.head, found);
        const { head, state } = isKnown ? published.current : await published.refresh(session);
        return isSameState(head, found) ? { state, found } : undefined;
      });
      if (latest) return latest;
    }
    return database.readConsistently(async (session) => {
      const { state } = await published.refresh(session);
      return { state, found: await read(session) };
    });
  }

  /** What several statements find. */
  async whole<T>(
    read: (session: Session, current: { readonly head: Head; readonly state: State }) => Promise<T>,
  ): Promise<T> {
    return this.#database.readConsistently(async (session) =>
      read(session, await this.#published.refresh(session)),
    );
  }
}
