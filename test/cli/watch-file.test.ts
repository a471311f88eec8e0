import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { changesOf } from '../../src/cli/watch-file.js';
import { systemClock } from '../../src/lib/clock.js';
import { cleanup } from '../support/cleanup.js';
import { tempDir } from '../support/temp-dir.js';

it('a file is reported at once, when it is written, replaced, removed and back, and other files are not', async () => {
  const folder = await tempDir();
  const file = join(folder, 'card.ttl');
  await writeFile(file, 'one');
  const ending = new AbortController();
  cleanup(() => ending.abort());
  const changes = changesOf(file, systemClock, ending.signal);
  expect((await changes.next()).done).toBe(false);

  await writeFile(file, 'written while nobody asks');
  expect((await changes.next()).done).toBe(false);

  const replaced = changes.next();
  await writeFile(join(folder, 'other.ttl'), 'no matter');
  await rename(join(folder, 'other.ttl'), file);
  expect((await replaced).done).toBe(false);

  await rm(file);
  expect((await changes.next()).done).toBe(false);
  await writeFile(file, 'back');
  expect((await changes.next()).done).toBe(false);

  const none = changes.next();
  await writeFile(join(folder, 'neighbour.ttl'), 'somebody else');
  ending.abort();
  await expect(none).rejects.toThrow('aborted');
});
