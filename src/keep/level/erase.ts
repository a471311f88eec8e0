import type { Level } from './level-files.js';
import type { LevelWriter } from './level-writer.js';
import { readRowKey } from './row-keys.js';

/**
 * Has the former values of keys leave the files, too. LevelDB keeps them there until it merges the files, and leaves a file alone that
 * holds two values of a key, or a value and its deletion: so what is there now is written once more, above that file, and merged
 * again. Nothing else may write to the keys meanwhile.
 */
export async function eraseFormer(level: Level, writer: LevelWriter, keys: readonly string[]): Promise<void> {
  const merge = async () => {
    for (const [first, last] of rangesOf(keys)) await level.compactRange(first, `${last}\uffff`);
  };
  await merge();
  const values = await level.getMany([...keys]);
  const again = writer.begin();
  for (const [i, key] of keys.entries()) {
    const value = values[i];
    if (value === undefined) again.del(key);
    else again.put(key, value);
  }
  await writer.write(again);
  await merge();
}

/** Where quads lie, and where rows do, which are far apart. */
function rangesOf(all: readonly string[]): (readonly [first: string, last: string])[] {
  const ranges = [true, false].map((isRow) =>
    all.filter((key) => (readRowKey(key) !== undefined) === isRow).sort(),
  );
  return ranges.flatMap((keys) => {
    const [first, last] = [keys[0], keys.at(-1)];
    return first === undefined || last === undefined ? [] : [[first, last] as const];
  });
}
