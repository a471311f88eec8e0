import { type PinSubject, pinKey } from '../../component/pin.js';
import type { PinDecision, StoredPin } from '../../core/pins.js';
import type { Clock } from '../../lib/clock.js';
import type { PinRequest, Pins } from '../../registry/pins.js';
import type { Database } from './connection/database.js';
import { only } from './connection/session.js';
import { orderKeyFrom } from './order-key.js';
import type { PublishedState } from './published-state.js';
import { changePins } from './writing/pins.js';
import { readPins } from './writing/stored-pins.js';

export interface PostgresPinsParts {
  readonly database: Database;
  readonly published: PublishedState;
  readonly clock: Clock;
}

/** After so many ms pins are counted again: each row is looked at, and everybody may ask. What this node changes counts at once. */
const COUNT_AGAIN_MS = 10_000;

interface PinCounts {
  readonly all: number;
  readonly changed: number;
}

/** Pins in a database that other nodes use, too: what one node has seen is what all of them show. */
export class PostgresPins implements Pins {
  readonly #parts: PostgresPinsParts;
  #counted: { readonly at: number; readonly counts: Promise<PinCounts> } | undefined;

  constructor(parts: PostgresPinsParts) {
    this.#parts = parts;
  }

  async change<T extends PinSubject>(subjects: readonly T[], decide: PinDecision<T>): Promise<void> {
    if (subjects.length === 0) return;
    const { database, published, clock } = this.#parts;
    const { shown } = published;
    const moved = await database
      .write((session) => changePins(session, subjects, decide, { now: clock.now(), history: published }))
      .finally(() => {
        this.#counted = undefined;
      });
    if (moved) published.show(moved, shown);
  }

  async get(subjects: readonly PinSubject[]): Promise<readonly (StoredPin | undefined)[]> {
    const found = await this.#parts.database.read((session) => readPins(session, subjects));
    return subjects.map((subject) => found.get(pinKey(subject)));
  }

  async list({ after = '', changed = false, limit }: PinRequest): Promise<readonly StoredPin[]> {
    const rows = await this.#parts.database.read((session) =>
      session.rows<{ value: string }>(
        `SELECT value FROM registry.pin WHERE key > $1 ${changed ? 'AND is_changed' : ''} ORDER BY key LIMIT $2`,
        [orderKeyFrom(after), limit],
      ),
    );
    return rows.map(({ value }) => JSON.parse(value) as StoredPin);
  }

  counts(): Promise<PinCounts> {
    const at = this.#parts.clock.now();
    if (this.#counted && at - this.#counted.at < COUNT_AGAIN_MS) return this.#counted.counts;
    const counts = this.#count();
    const counted = { at, counts };
    this.#counted = counted;
    counts.catch(() => {
      if (this.#counted === counted) this.#counted = undefined;
    });
    return counts;
  }

  #count(): Promise<PinCounts> {
    return this.#parts.database.read(async (session) =>
      only(
        await session.rows<PinCounts>(
          `SELECT count(*) AS "all", coalesce(sum(CASE WHEN is_changed THEN 1 ELSE 0 END), 0)::bigint AS changed
           FROM registry.pin`,
        ),
        'table of pins',
      ),
    );
  }
}
