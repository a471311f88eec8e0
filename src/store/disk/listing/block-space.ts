import type { Block } from './entry.js';

/** Where the bytes of blocks are kept. One change is made at a time: `begin`, `store` for each new block, `settle`. */
export interface BlockSpace {
  /** Bytes of a block, roughly. */
  readonly blockBytes: number;
  /** Before a change. What has been stored since the last one was settled is not needed: that change was given up. */
  begin(): void;
  /** @throws StorageFailure when there is no room */
  store(block: Block): void;
  /** After a change: these blocks are not listed any more. Who holds one still reads its bytes. */
  settle(left: Iterable<Block>): void;
}

/** Blocks keep their own bytes. They are few enough to be copied for one change, and enough to be streamed well. */
export const IN_MEMORY: BlockSpace = {
  blockBytes: 131_072,
  begin: () => undefined,
  store: () => undefined,
  settle: () => undefined,
};
