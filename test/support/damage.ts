import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Random } from '../../src/lib/clock.js';

/**
 * Flips one bit of one file of a kind in a directory; `within`: only in this text, wherever the file has it.
 * @returns what was done, for messages
 */
export async function flipBit(
  directory: string,
  { kind, within }: { readonly kind: RegExp; readonly within?: string },
  random: Random,
): Promise<string> {
  const places: { path: string; bytes: Buffer; from: number; length: number }[] = [];
  for (const name of (await readdir(directory)).filter((one) => kind.test(one)).sort()) {
    const path = join(directory, name);
    const bytes = await readFile(path);
    if (within === undefined) places.push({ path, bytes, from: 0, length: bytes.length });
    else
      for (let from = bytes.indexOf(within); from >= 0; from = bytes.indexOf(within, from + 1))
        places.push({ path, bytes, from, length: within.length });
  }
  const place = places[Math.floor(random() * places.length)];
  if (!place) throw new Error(`no file like ${kind} in ${directory} has ${within}`);
  const { path, bytes, from, length } = place;
  const bit = from * 8 + Math.floor(random() * length * 8);
  bytes[bit >>> 3] = (bytes[bit >>> 3] ?? 0) ^ (1 << (bit & 7));
  await writeFile(path, bytes);
  return `bit ${bit} of ${path} (${bytes.length} bytes)`;
}
