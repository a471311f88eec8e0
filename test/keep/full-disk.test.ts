import { readdir, stat, statfs, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Quad } from '@rdfjs/types';
import { DataFactory } from 'n3';
import { expect, it } from 'vitest';
import { KeepFull } from '../../src/keep/faults.js';
import { cleanup } from '../support/cleanup.js';
import { smallDisk } from '../support/small-disk.js';
import { waitFor } from '../support/wait-for.js';
import { headOf, rowsOf, write } from './contract.js';
import { openedIn } from './level-engine.js';

const { literal, namedNode, quad } = DataFactory;
const GRAPH = namedNode('urn:graph');
const said = (name: string) =>
  quad(namedNode(`urn:s:${name}`), namedNode('urn:p'), literal('x'.repeat(500)), GRAPH) as Quad;

/** Bytes of all files of a directory. */
async function sizeOf(directory: string): Promise<number> {
  const sizes = (await readdir(directory)).map(async (name) => (await stat(join(directory, name))).size);
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

it('keeps what was acknowledged and nothing else on a full disk, and goes on by itself when there is space', async () => {
  const disk = await smallDisk(16);
  const directory = join(disk, 'data');
  const place = await openedIn(directory);
  cleanup(() => place.close());
  const keep = await place.keep('registry');
  const acknowledged: string[] = [];
  let number = 0;
  const commit = async () => {
    const name = String(number++).padStart(6, '0');
    const quads = { put: [said(name), said(`${name} too`)] };
    await write(keep, { rows: [{ table: 'filled', key: name, value: 'x'.repeat(2_000) }], quads });
    acknowledged.push(name);
  };
  const stored = async () => (await rowsOf(keep, 'filled')).map(({ key }) => key);
  for (let round = 0; round < 3; round++) {
    for (let i = 0; i < 20; i++) await commit();
    const ballast = join(disk, 'ballast');
    const { bavail, bsize } = await statfs(disk);
    await writeFile(ballast, Buffer.alloc((bavail - 8) * bsize));
    const failing = async () => {
      for (;;) await commit();
    };
    await expect(failing()).rejects.toThrow(KeepFull);
    const [head, size] = [await headOf(keep), await sizeOf(directory)];
    for (let i = 0; i < 100; i++) await expect(commit()).rejects.toThrow(/full/);
    expect([await stored(), await headOf(keep)]).toEqual([acknowledged, head]);
    expect(await sizeOf(directory)).toBeLessThanOrEqual(size);
    expect(keep.trouble).toMatchObject({ kind: 'full' });
    await unlink(ballast);
    await waitFor(() => !keep.trouble);
    expect(await stored()).toEqual(acknowledged);
  }
  await commit();
  await place.close();
  const again = await openedIn(directory);
  cleanup(() => again.close());
  const found = await rowsOf(await again.keep('registry'), 'filled');
  expect(found.map(({ key }) => key)).toEqual(acknowledged);
  let quads = 0;
  for await (const some of (await again.keep('registry')).quads([GRAPH])) quads += some.length;
  expect(quads).toBe(2 * acknowledged.length);
});
