import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { VirtualTime } from '../../../scripts/simulate/time/virtual-time.js';

const FILE = fileURLToPath(import.meta.url);

it('stands still while a file is read, however long a busy machine takes for that', async () => {
  const time = new VirtualTime();
  const read: number[] = [];
  time.after(1_000, () => {
    // One after the other, as a package is imported.
    const reading = async () => {
      for (let i = 0; i < 20; i += 1) await readFile(FILE);
      read.push(time.elapsed);
    };
    void reading();
  });
  for (let minute = 1; minute <= 100; minute += 1) time.after(minute * 60_000, () => undefined);
  await time.runUntil(time.now + 100 * 60_000);
  expect(read).toEqual([1_000]);
});
