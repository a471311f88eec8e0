import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** Flushes a directory to disk, so that a new name in it survives a crash. */
export function flushDirectory(directory: string): Promise<void> {
  return flush(directory);
}

/** Flushes a directory, and what the files in it hold. */
export async function flushFiles(directory: string): Promise<void> {
  for (const name of await readdir(directory)) await flush(join(directory, name));
  await flushDirectory(directory);
}

async function flush(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
