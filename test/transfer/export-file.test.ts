import { appendFile, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Row } from '../../src/keep/keep.js';
import { checkExport, UnusableExport } from '../../src/transfer/export-file.js';
import { seededRandom } from '../support/seeded-random.js';
import { tempDir } from '../support/temp-dir.js';
import { exportTo, fillTransfer, type OpenTransfer, openTransfer } from '../support/transfer.js';

let folder: string;
let held: OpenTransfer;
/** A whole export of what is held, compressed and not. */
let file: string;
let packed: string;

beforeEach(async () => {
  folder = await tempDir();
  [file, packed] = [join(folder, 'all'), join(folder, 'all.gz')];
  held = await openTransfer();
  await fillTransfer(held);
  for (const path of [file, packed]) await exportTo(path, held);
});

describe('an export', () => {
  it('may be read by its owner alone, and is packed when its name says so', async () => {
    for (const path of [file, packed]) expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(gunzipSync(await readFile(packed)).equals(await readFile(file))).toBe(true);
  });

  it('replaces no file, and leaves none when it fails', async () => {
    await expect(exportTo(file, held)).rejects.toThrow('is there already and stays as it is');
    held.connections.exclusively = () => Promise.reject(new Error('cannot be read'));
    const other = join(folder, 'other');
    await expect(exportTo(other, held)).rejects.toThrow('cannot be read');
    expect((await readdir(folder)).sort()).toEqual(['all', 'all.gz']);
  });

  it('is not made of a registry in which statements are missing', async () => {
    await held.test.keep.exclusively(async ({ rows }) => {
      const found: Row[] = [];
      for await (const batch of rows(['statement'])) found.push(...batch.rows);
      const [lost] = found as [Row];
      return { rows: [{ ...lost, value: undefined }], result: undefined };
    });
    await expect(exportTo(join(folder, 'other'), held)).rejects.toThrow(
      /here is damaged: .* descriptions of .* have been stored, and .* are there/,
    );
  });
});

describe('a file that is not whole', () => {
  it('is refused wherever it was cut off', async () => {
    const random = seededRandom(3);
    for (const path of [file, packed]) {
      const whole = await readFile(path);
      const cuts = [1, whole.length - 1, ...Array.from({ length: 30 }, () => random() * whole.length)];
      for (const cut of cuts) {
        const part = join(folder, `part-of-${basename(path)}`);
        await writeFile(part, whole.subarray(0, Math.floor(cut)));
        await expect(checkExport(part), `${path} cut at ${cut}`).rejects.toThrow(UnusableExport);
      }
    }
  });

  it('is refused whatever bit is wrong in it', async () => {
    const random = seededRandom(5);
    const whole = await readFile(file);
    for (let round = 0; round < 60; round += 1) {
      const bytes = Buffer.from(whole);
      const at = Math.floor(random() * bytes.length);
      bytes[at] = (bytes[at] ?? 0) ^ (1 << Math.floor(random() * 8));
      const damaged = join(folder, 'damaged');
      await writeFile(damaged, bytes);
      await writeFile(`${damaged}.gz`, gzipSync(bytes));
      for (const path of [damaged, `${damaged}.gz`])
        await expect(checkExport(path), `byte ${at}`).rejects.toThrow(UnusableExport);
    }
  });

  it.each([
    ['is empty', '', 'is not complete'],
    ['is something else', '{"a":1}\n', 'is not an export'],
    ['is no JSON', 'PK\x03\x04', 'is not complete'],
    ['is no text', '\x89PNG\r\n\x1a\n', 'is not an export'],
    [
      'is of a newer release',
      '{"type":"header","format":"component-registry-export","version":3}\n',
      'was written by a newer release (version 3 of the format, this one knows 2)',
    ],
  ])('is refused when it %s', async (_what, text, message) => {
    const path = join(folder, 'other');
    await writeFile(path, text, 'latin1');
    await expect(checkExport(path)).rejects.toThrow(message);
  });

  it('is refused when it is not there, and when more stands behind its end', async () => {
    await expect(checkExport(join(folder, 'nothing'))).rejects.toThrow('there is no file');
    await appendFile(file, '{}\n');
    await expect(checkExport(file)).rejects.toThrow('something stands behind its last line');
  });
});
