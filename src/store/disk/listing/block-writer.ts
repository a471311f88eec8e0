import type { BlockSpace } from './block-space.js';
import { Block, type Entry } from './entry.js';

/**
 * Copies entries side by side into as many blocks as they need. The entries themselves still say that they
 * lie where they lay before: `placeEntries` tells them, when the listing is swapped.
 */
export function writeBlocks(
  entries: readonly Entry[],
  { blockBytes }: Pick<BlockSpace, 'blockBytes'>,
): Block[] {
  const total = entries.reduce((sum, { length }) => sum + length + 1, 0);
  // A little more than a block is no reason for two.
  const count = total <= 2 * blockBytes ? 1 : Math.ceil(total / blockBytes);
  const blocks: Block[] = [];
  let from = 0;
  let bytes = 0;
  entries.forEach((entry, i) => {
    bytes += entry.length + 1;
    if (bytes < total / count && i < entries.length - 1) return;
    blocks.push(writeBlock(entries.slice(from, i + 1), bytes));
    from = i + 1;
    bytes = 0;
  });
  return blocks;
}

/** Tells the entries of a block that their objects now lie in that block. */
export function placeEntries(block: Block): void {
  let start = 1;
  for (const entry of block.entries) {
    entry.moveTo(block, start);
    start += entry.length + 1;
  }
}

/** A copy of an entry's object in a block of its own, so that the block where it lies can be freed. @throws StorageFailure */
export function blockAlone({ block, start, length }: Entry, space: BlockSpace): Block {
  const bytes = Buffer.allocUnsafeSlow(length + 1);
  block.bytes.copy(bytes, 0, start - 1, start + length);
  const alone = new Block(bytes, []);
  space.store(alone);
  return alone;
}

/** Entries that lie side by side already are copied in one go. */
function writeBlock(entries: readonly Entry[], size: number): Block {
  const bytes: Buffer = Buffer.allocUnsafeSlow(size);
  let at = 0;
  let run: { block?: Block; from: number; to: number } = { from: 0, to: 0 };
  const copyRun = () => {
    at += run.block?.bytes.copy(bytes, at, run.from, run.to) ?? 0;
  };
  for (const { block, start, length } of entries) {
    if (block !== run.block || start - 1 !== run.to) {
      copyRun();
      run = { block, from: start - 1, to: start - 1 };
    }
    run.to = start + length;
  }
  copyRun();
  return new Block(bytes, entries);
}
