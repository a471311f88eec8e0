import type { Level } from './level-files.js';
import type { LevelWriter } from './level-writer.js';
import { readRowKey } from './row-keys.js';

/**
 * Has what was deleted leave the files, too. LevelDB keeps it there until it merges them, and leaves a file alone that holds a value
 * and its deletion both: so what was deleted is deleted once more, above that file, and merged again.
 */
export async function eraseDeleted(
  level: Level,
  writer: LevelWriter,
  deleted: readonly string[],
): Promise<void> {
  const merge = async () => {
    for (const [first, last] of rangesOf(deleted)) await level.compactRange(first, `${last}\uffff`);
  };
  await merge();
  const again = writer.begin();
  for (const key of deleted) again.del(key);
  await writer.write(again);
  await merge();
}

/** Where quads lie, and where rows do, which are far apart. */
function rangesOf(deleted: readonly string[]): (readonly [first: string, last: string])[] {
  const ranges = [true, false].map((isRow) =>
    deleted.filter((key) => (readRowKey(key) !== undefined) === isRow).sort(),
  );
  return ranges.flatMap((keys) => {
    const [first, last] = [keys[0], keys.at(-1)];
    return first === undefined || last === undefined ? [] : [[first, last] as const];
  });
}
