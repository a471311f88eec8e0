import { type Source, sameSource } from '../component/source.js';
import { type Amount, difference, larger, NOTHING, smaller } from '../core/amount.js';
import { allowance, amountOfAll } from '../core/limits.js';
import type { ReadLimits } from '../core/reading.js';
import type { StoredSource } from '../core/source-record.js';
import { KeyedMutex } from '../lib/keyed-mutex.js';
import type { SourceReader } from './source-reader.js';

type Polled = Pick<SourceReader, 'source' | 'trust'>;

interface RoomParts {
  readonly limits: {
    readonly maxComponents: number;
    /** Components kept of all learned sources together. */
    readonly maxLearnedComponents: number;
  };
  readonly sources: () => Promise<readonly StoredSource[]>;
  readonly isConfigured: (source: Source) => boolean;
}

/** How much of a source may be stored, by itself and with all learned ones. */
export class Room {
  readonly #turns = new KeyedMutex();

  constructor(readonly parts: RoomParts) {}

  async limit({ source, trust }: Polled): Promise<Amount> {
    const { limits, sources, isConfigured } = this.parts;
    const own = allowance(limits.maxComponents);
    if (trust === 'configured') return own;
    let left = allowance(limits.maxLearnedComponents);
    for (const other of await sources())
      if (!isConfigured(other.source) && !sameSource(other.source, source))
        left = difference(left, amountOfAll(other.documents));
    return smaller(own, larger(left, NOTHING));
  }

  /**
   * Decides and stores within the limit of a source: learned ones in turn, because each takes what it leaves
   * the next.
   */
  within<T>(polled: Polled, task: (limit: Amount) => Promise<T>): Promise<T> {
    const decide = async () => task(await this.limit(polled));
    return polled.trust === 'learned' ? this.#turns.run('', decide) : decide();
  }
}

/** With less than this part of its bytes left, or with fewer bytes than these, a source is full. */
const FULL = { part: 1 / 16, bytes: 4_096 } as const;

/** Is there no room worth speaking of? Then nothing new of a source is read. */
export function isFull({ room, most }: Pick<ReadLimits, 'room' | 'most'>): boolean {
  return room.components < 1 || room.bytes < Math.max(most.bytes * FULL.part, FULL.bytes);
}
