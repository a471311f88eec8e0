import { on } from 'node:events';
import { watch } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import type { Clock } from '../lib/clock.js';
import { unlessMissing } from '../lib/missing-file.js';

/** Editors save in several steps; after this time, in ms, the file is whole again. */
const SETTLING_MS = 50;

/**
 * Yields at once, and then each time the file has changed, also when it changed while the last time was dealt with.
 * Its folder is watched: editors often replace a file by a new one, and a file that is watched itself is lost then.
 * @throws Error when there is no such folder
 */
export async function* changesOf(file: string, clock: Clock, signal?: AbortSignal): AsyncGenerator<void> {
  const path = resolve(file);
  const watcher = watch(dirname(path));
  try {
    const events = on(watcher, 'change', { signal });
    let before = await stateOf(path);
    yield;
    for await (const [, name] of events) {
      if (name !== basename(path)) continue;
      await clock.sleep(SETTLING_MS, signal);
      const state = await stateOf(path);
      if (state === before) continue;
      before = state;
      yield;
    }
  } finally {
    watcher.close();
  }
}

/** Differs after the file was written; the same for a file that is away. */
async function stateOf(path: string): Promise<string> {
  const stats = await stat(path).catch(unlessMissing);
  return stats ? `${stats.mtimeMs} ${stats.size} ${stats.ino}` : 'away';
}
