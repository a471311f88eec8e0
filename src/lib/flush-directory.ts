import { open } from 'node:fs/promises';

/** Flushes a directory to disk, so that a new name in it survives a crash. */
export async function flushDirectory(directory: string): Promise<void> {
  const handle = await open(directory, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
