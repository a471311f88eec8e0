import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cleanup } from './cleanup.js';

/** A new empty directory, gone when the test is over (or, made in `beforeAll`, the file). */
export async function tempDir(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'registry-node-'));
  cleanup(() => rm(path, { recursive: true, force: true, maxRetries: 3 }));
  return path;
}
