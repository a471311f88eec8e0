import { type Cursor, DIGEST_DIGITS } from '../core/cursor.js';
import { REMEMBERED_STATES } from '../core/feed-window.js';
import type { StateBlock } from './commit-contents.js';

type RememberedState = Pick<Cursor, 'position' | 'digest'>;

/** States of one row: so a start reads a thousand rows for a hundred thousand states, and a commit writes two kilobytes. */
const IN_BLOCK = 100;
/** Blocks more than are needed, before the oldest are deleted. */
const SURPLUS = 10;
/** Blocks that one commit deletes at most. */
const AT_ONCE = 100;

/** The rows that keep the states that are remembered: which there are, and what the last one holds. */
export class StateBlocks {
  #first = 0;
  #last = 0;
  #lines: StateBlock = [];

  /** The block that has another state. */
  with({ position, digest }: RememberedState): ReadonlyMap<number, StateBlock> {
    const line = `${position} ${digest.slice(0, DIGEST_DIGITS)}`;
    const isFull = this.#lines.length >= IN_BLOCK;
    return new Map([isFull ? [this.#last + 1, [line]] : [this.#last, [...this.#lines, line]]]);
  }

  /** Applies what commits have changed. @returns the states behind a position, in their order */
  apply(states: ReadonlyMap<number, StateBlock | undefined>, position: number): RememberedState[] {
    const behind: RememberedState[] = [];
    for (const [block, lines] of states) {
      if (!lines) this.#first = Math.max(this.#first, block + 1);
      else if (block >= this.#last) {
        [this.#last, this.#lines] = [block, lines];
        const from = lines.findLastIndex((line) => stateIn(line).position <= position);
        behind.push(...lines.slice(from + 1).map(stateIn));
      }
    }
    return behind;
  }

  /** Takes over a block that a start has read, the first one first. @returns its states */
  load(block: number, lines: StateBlock): RememberedState[] {
    if (this.#lines.length === 0) this.#first = block;
    [this.#last, this.#lines] = [block, lines];
    return lines.map(stateIn);
  }

  /** The oldest blocks, where more states are kept than need be remembered; and how many states there are behind them. */
  get surplus(): { readonly blocks: readonly number[]; readonly kept: number } {
    const needed = Math.ceil(REMEMBERED_STATES / IN_BLOCK) + 1;
    const count = this.#last - this.#first + 1 - needed;
    if (count < SURPLUS) return { blocks: [], kept: 0 };
    const blocks = Array.from({ length: Math.min(count, AT_ONCE) }, (_, i) => this.#first + i);
    const left = this.#last - this.#first - blocks.length;
    return { blocks, kept: left * IN_BLOCK + this.#lines.length };
  }
}

function stateIn(line: string): RememberedState {
  const [position, digest = ''] = line.split(' ');
  return { position: Number(position), digest };
}
