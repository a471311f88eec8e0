import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sourceKey } from '../../src/component/source.js';
import { POD_A } from '../registry/sources.js';
import { metadata } from '../support/arbitrary.js';
import { tempDir } from '../support/temp-dir.js';
import {
  contents,
  engineOf,
  exportTo,
  fillTransfer,
  importFrom,
  type OpenTransfer,
  openTransfer,
  TRANSFER_ENGINES,
} from '../support/transfer.js';

const [from, to] = ['disk', TRANSFER_ENGINES.at(-1) ?? 'disk'];

describe(`from ${from} to ${to} and back`, () => {
  it('keeps everything, with the same digests and times', async () => {
    const folder = await tempDir();
    const first = await openTransfer(await engineOf(from));
    await fillTransfer(first);
    await exportTo(join(folder, '1.gz'), first);
    const expected = [await contents(first), await served(first), await linesOf(first)];
    await first.test.close();

    const started = Date.now();
    for (const [name, before, after] of [
      [to, '1.gz', '2'],
      [from, '2', '3'],
    ] as const) {
      const engine = await engineOf(name);
      await importFrom(join(folder, before), engine);
      const held = await openTransfer(engine);
      // Whoever has read older lists before the export must not be told that they are still these.
      expect((await held.test.state()).networkRevision.since).toBeGreaterThanOrEqual(started);
      expect([await contents(held), await served(held), await linesOf(held)]).toEqual(expected);
      await exportTo(join(folder, after), held);
      await held.test.close();
    }
  });
});

/** Every description in the order of the listing, with when it came and whose it is. */
async function served({ test }: OpenTransfer) {
  const all = await test.everything();
  return all.map(({ metadata, source, document, since, trust, pin }) => [
    ...[metadata.uri, metadata.label, metadata.latest, source, document, since, trust, pin],
  ]);
}

/** Per source, what the feed says of it. */
async function linesOf({ test }: OpenTransfer) {
  const { feed } = await test.state();
  return new Map(
    feed.sources.map(({ source, rank, count, digest }) => [sourceKey(source), [rank, count, digest]]),
  );
}

describe('an export', () => {
  it('keeps whatever texts strangers have written', async () => {
    const file = join(await tempDir(), 'file');
    const components = fc.sample(metadata, { numRuns: 300, seed: 7 });
    const held = await openTransfer();
    const documents = [{ url: `${POD_A.url}doc`, components, record: {} }];
    await held.test.commit({ source: POD_A, documents, record: { failures: 0 } });
    await exportTo(file, held);
    const text = await readFile(file, 'utf8');
    for (const line of text.trimEnd().split('\n')) expect(JSON.parse(line)).toHaveProperty('type');
    const engine = await engineOf('disk');
    await importFrom(file, engine);
    const other = await openTransfer(engine);
    expect(await contents(other)).toEqual(await contents(held));
    await other.test.close();
  });
});
