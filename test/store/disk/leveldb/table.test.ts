import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ClassicLevel } from 'classic-level';
import { beforeAll, describe, expect, it } from 'vitest';
import { liveTables } from '../../../../src/store/disk/leveldb/manifest.js';
import { madeReportable, tableDamage } from '../../../../src/store/disk/leveldb/table.js';
import { seededRandom } from '../../../support/seeded-random.js';
import { tempDir } from '../../../support/temp-dir.js';
import { seed } from '../../../support/torture.js';

const FOOTER = 48;

let directory: string;
let names: string[];
let files: Buffer[];

/** Tables of different kinds: with many blocks, whose index is compressed, and with a few. */
beforeAll(async () => {
  directory = await tempDir();
  const level = new ClassicLevel(directory);
  await level.open();
  const random = seededRandom(1);
  for (const count of [6000, 20]) {
    const batch = level.batch();
    for (let i = 0; i < count; i++) {
      const value = Array.from({ length: 20 }, () => random().toString(36)).join(' the same again ');
      batch.put(`!table!https://c.example/${count}/component-${i}.js`, value);
    }
    await batch.write();
    await level.compactRange('', '~');
  }
  await level.close();
  names = (await readdir(directory)).filter((name) => name.endsWith('.ldb'));
  files = await Promise.all(names.map((name) => readFile(join(directory, name))));
});

describe(`a table of LevelDB (seed ${seed})`, () => {
  it('is not damaged as LevelDB has written it, and is one of those that the manifest names', async () => {
    expect(files.length).toBeGreaterThan(1);
    for (const file of files) expect(tableDamage(file)).toBeUndefined();
    const manifest = (await readFile(join(directory, 'CURRENT'), 'utf8')).trim();
    const live = liveTables(await readFile(join(directory, manifest)));
    expect([...live].sort()).toEqual(names.map((name) => Number.parseInt(name, 10)).sort());
  });

  it('is damaged when one of its bits is another one, wherever', () => {
    const random = seededRandom(seed);
    const smallest = files.reduce((one, other) => (other.length < one.length ? other : one));
    for (const file of files) {
      // All bits of the last bytes, where the lists of blocks stand, and some of the rest.
      const places = Array.from({ length: 150 }, () => Math.floor(random() * file.length));
      if (file === smallest) places.push(...Array.from({ length: 200 }, (_, i) => file.length - 1 - i));
      for (const place of places) {
        for (const bit of file === smallest ? [1, 2, 4, 8, 16, 32, 64, 128] : [1 << (place % 8)]) {
          const flipped = Buffer.from(file);
          flipped[place] = (flipped[place] ?? 0) ^ bit;
          const where = `bit ${bit} of byte ${place} of ${file.length}`;
          if (isUnused(file, place, bit)) expect(tableDamage(flipped), where).toBeUndefined();
          else expect(tableDamage(flipped), where).toBeDefined();
        }
      }
    }
  });

  it('is damaged when it is cut off, or longer, or empty', () => {
    for (const file of files) {
      for (const length of [0, 1, FOOTER - 1, FOOTER, file.length - 1]) {
        expect(tableDamage(file.subarray(0, length)), `${length} bytes`).toBeDefined();
      }
      expect(tableDamage(Buffer.concat([Buffer.alloc(10), file]))).toBeDefined();
    }
  });

  it('is made such that LevelDB reports its damage, and stays as it is', () => {
    for (const file of files) {
      const damaged = Buffer.from(file);
      damaged[0] = (damaged[0] ?? 0) ^ 1;
      const before = Buffer.from(damaged);
      const damage = tableDamage(damaged);
      if (!damage) throw new Error('it should be damaged');
      const [block] = damage.blocks;
      expect(damage.blocks).toEqual([{ offset: 0, size: expect.any(Number) }]);
      expect(madeReportable(damaged, damage)[block?.size ?? 0]).toBe(0xff);
      expect(damaged.equals(before)).toBe(true);
    }
  });
});

/** Is it behind the four numbers of the footer? The highest bit of their last byte adds nothing but a zero. */
function isUnused(file: Buffer, place: number, bit: number): boolean {
  const footer = file.length - FOOTER;
  if (place < footer || place >= file.length - 8) return false;
  // Each ends with a byte below 128.
  let at = footer;
  for (let numbers = 0; numbers < 4; at++) if ((file[at] ?? 0) < 128) numbers += 1;
  return place >= at || (place === at - 1 && bit === 128);
}
