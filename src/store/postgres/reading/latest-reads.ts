import type { State } from '../../../registry/state.js';
import type { Database } from '../connection/database.js';
import type { Session } from '../connection/session.js';
import type { PublishedState } from '../published-state.js';
import type { Head } from '../writing/head.js';
import { isSameState } from '../writing/history.js';

/** Which version of the head something belongs to. */
export type Stamp = Pick<Head, 'version' | 'mark'>;

const EACH = { consistently: false };
const ALL = { consistently: true };
/** Times that something is read whose state is not the one that is known, before a snapshot decides. */
const TRIES = 3;

/** Reads what belongs to the state that this node shows, from a standby that has the same, or to a later one, from the primary. */
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
    const near = await database.readNear(async (session) => {
      const found = await read(session);
      const { head, state } = published.current;
      return isSameState(head, found) ? { state, found } : undefined;
    }, EACH);
    if (near) return near;
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

  /** What several statements find; on a standby only what `suffices`. */
  async whole<T>(
    read: (session: Session, current: { readonly head: Head; readonly state: State }) => Promise<T>,
    suffices: (found: T) => boolean = () => true,
  ): Promise<T> {
    const near = await this.#database.readNear(async (session) => {
      const current = await this.#published.sharedNear(session);
      const found = current && (await read(session, current));
      return found !== undefined && suffices(found) ? { found } : undefined;
    }, ALL);
    if (near) return near.found;
    return this.#database.readConsistently(async (session) =>
      read(session, await this.#published.refresh(session)),
    );
  }
}
