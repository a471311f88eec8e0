import { type Cursor, DIGEST_DIGITS } from '../core/cursor.js';
import { REMEMBERED_STATES } from '../core/feed-window.js';

/** States in the order of positions, `<position> <digits of the digest>` each, as they are stored together. */
export type StateBlock = readonly string[];

/** States of one block: so a start reads a thousand for a hundred thousand states, and a commit writes two kilobytes. */
const IN_BLOCK = 100;
/** Whole blocks that are kept, beside the one that is being filled. */
const WHOLE = Math.ceil(REMEMBERED_STATES / IN_BLOCK);

/**
 * States that a registry has been in: what a cursor of a reader is compared with. They are stored in a ring of blocks, of which a new
 * one takes the place of the oldest. A hundred thousand take 5 MB.
 */
export class RememberedStates {
  /** The digits of digests, read as numbers, by positions in their order. */
  readonly #digests = new Map<number, number>();
  #block = 0;
  #lines: StateBlock = [];

  /** The block that another state makes: the latest one with it, or the next. */
  with({ position, digest }: Pick<Cursor, 'position' | 'digest'>): readonly [block: number, StateBlock] {
    const line = `${position} ${digest.slice(0, DIGEST_DIGITS)}`;
    if (this.#lines.length < IN_BLOCK) return [this.#block, [...this.#lines, line]];
    return [(this.#block + 1) % (WHOLE + 1), [line]];
  }

  /** Takes over blocks that were read or written. States are told of again and again, with those that come behind them. */
  apply(blocks: ReadonlyMap<number, StateBlock>): void {
    const first = ([, lines]: readonly [number, StateBlock]) => positionIn(lines[0]);
    for (const [block, lines] of [...blocks].sort((one, other) => first(one) - first(other))) {
      [this.#block, this.#lines] = [block, lines];
      for (const line of lines)
        this.#digests.set(positionIn(line), Number.parseInt(line.slice(line.indexOf(' ') + 1), 16));
    }
    for (const position of this.#digests.keys()) {
      if (this.#digests.size <= WHOLE * IN_BLOCK + this.#lines.length) break;
      this.#digests.delete(position);
    }
  }

  digestAt(position: number): string | undefined {
    return this.#digests.get(position)?.toString(16).padStart(DIGEST_DIGITS, '0');
  }

  /** States before this position may have been forgotten. */
  get floor(): number {
    const [oldest = 0] = this.#digests.size > WHOLE * IN_BLOCK ? this.#digests.keys() : [];
    return oldest;
  }
}

function positionIn(line = ''): number {
  return Number.parseInt(line, 10);
}
