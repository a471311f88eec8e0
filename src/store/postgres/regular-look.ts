import { type Clock, elapsed } from '../../lib/clock.js';
import type { StoreLog } from '../registry-store.js';
import type { Database } from './connection/database.js';
import { only, type Session } from './connection/session.js';
import type { PostgresPolls } from './postgres-polls.js';
import type { PublishedState } from './published-state.js';
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

export interface RegularLookParts {
  readonly database: Pick<Database, 'look' | 'read' | 'write' | 'change' | 'described'>;
  readonly published: PublishedState;
  readonly polls: Pick<PostgresPolls, 'tellUntil'>;
  readonly clock: Clock;
  readonly log: StoreLog;
  /** Ms between two looks; what is usual when absent. */
  readonly lookMs?: number | undefined;
  /** Says that this node is there, each time that so many ms have passed. */
  readonly sign: (session: Session) => Promise<void>;
  readonly signMs: number;
  /** Ends it. */
  readonly signal: AbortSignal;
}

/** Looks what other nodes have committed, and tells them that this one is there, until it is ended. */
export class RegularLook {
  readonly #parts: RegularLookParts;
  /** Resolves when nothing of it is under way any more. */
  readonly ended: Promise<void>;

  private constructor(parts: RegularLookParts) {
    this.#parts = parts;
    this.ended = this.#look();
  }

  /** Resolves after the first look: then it is known where the registry stands. */
  static async begin(parts: RegularLookParts): Promise<RegularLook> {
    await parts.database.read((session) => lookOnce(session, parts));
    return new RegularLook(parts);
  }

  async #look(): Promise<void> {
    const { database, clock, sign, signMs } = this.#parts;
    let signed = clock.now();
    while (await this.#pause()) {
      const isDue = elapsed(signed, clock.now()) >= signMs;
      if (isDue) signed = clock.now();
      try {
        const isContinued = await database.look((session) => lookOnce(session, this.#parts));
        if (!isContinued) await this.#beginHistory();
        if (isDue) await database.change(sign);
      } catch {
        // The database notes and logs its troubles; the next look may find it again.
      }
    }
  }

  /** The database has gone back; unless another node has noticed it before, all of them tell another history from now on. */
  async #beginHistory(): Promise<void> {
    const { database, published, clock, log } = this.#parts;
    const { shown } = published;
    const now = clock.now();
    const moved = await database.write((session) => beginHistory(session, published, now));
    if (!moved) return;
    published.show(moved, shown);
    const [before, after] = [shown?.head.position, moved.head.position];
    log.warn(
      { database: database.described, before, after },
      'the database has lost commits that this node has shown: followers of its feed are told to read everything again',
    );
  }

  /** False when it is to end. */
  #pause(): Promise<boolean> {
    const { clock, signal, lookMs = LOOK_INTERVAL } = this.#parts;
    return clock.sleep(lookMs, signal).then(
      () => true,
      () => false,
    );
  }
}

async function lookOnce(
  session: Session,
  { published, polls }: Pick<RegularLookParts, 'published' | 'polls'>,
): Promise<boolean> {
  const { polls: number, ...latest } = only(await session.rows<NewsRow>(NEWS, [], 'news'), 'head');
  const isContinued = await published.refreshIfNot(session, latest);
  await polls.tellUntil(session, number);
  return isContinued;
}
