import { cp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
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
  const names = (await readdir(directory)).filter((name) => kind.test(name)).sort();
  const files = await Promise.all(
    names.map(async (name) => ({ name, bytes: await readFile(join(directory, name)) })),
  );
  const places = files.flatMap(({ name, bytes }) => {
    if (within === undefined) return [{ name, bytes, from: 0, length: bytes.length }];
    return placesOf(within, bytes).map((from) => ({ name, bytes, from, length: within.length }));
  });
  const place = places[Math.floor(random() * places.length)];
  if (!place) throw new Error(`no file like ${kind} in ${directory} has ${within}`);
  const { name, bytes, from, length } = place;
  const bit = from * 8 + Math.floor(random() * length * 8);
  bytes[bit >>> 3] = (bytes[bit >>> 3] ?? 0) ^ (1 << (bit & 7));
  await writeFile(join(directory, name), bytes);
  return `bit ${bit} of ${name} (${bytes.length} bytes)`;
}

function placesOf(text: string, bytes: Buffer): number[] {
  const found: number[] = [];
  for (let at = bytes.indexOf(text); at >= 0; at = bytes.indexOf(text, at + 1)) found.push(at);
  return found;
}

/** A fresh copy of a directory in another place. */
export async function copyOf(directory: string, to: string): Promise<void> {
  await rm(to, { recursive: true, force: true });
  await cp(directory, to, { recursive: true });
}
