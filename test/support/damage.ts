import { cp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Random } from '../../src/lib/clock.js';

/** Flips one bit of one file of a kind in a directory. @returns what was done, for messages */
export async function flipBit(directory: string, kind: RegExp, random: Random): Promise<string> {
  const names = (await readdir(directory)).filter((name) => kind.test(name)).sort();
  const name = names[Math.floor(random() * names.length)];
  if (name === undefined) throw new Error(`no file like ${kind} in ${directory}`);
  const bytes = await readFile(join(directory, name));
  const bit = Math.floor(random() * bytes.length * 8);
  bytes[bit >>> 3] = (bytes[bit >>> 3] ?? 0) ^ (1 << (bit & 7));
  await writeFile(join(directory, name), bytes);
  return `bit ${bit} of ${name} (${bytes.length} bytes)`;
}

/** A fresh copy of a directory in another place. */
export async function copyOf(directory: string, to: string): Promise<void> {
  await rm(to, { recursive: true, force: true });
  await cp(directory, to, { recursive: true });
}
