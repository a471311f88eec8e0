import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sourceKey } from '../../src/component/source.js';
import { LEARNED } from '../registry/sources.js';
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
  it('keeps everything, with the same digests and times, whatever texts strangers have written', async () => {
    const folder = await tempDir();
    const first = await openTransfer(await engineOf(from));
    await fillTransfer(first);
    await first.test.say(LEARNED, fc.sample(metadata, { numRuns: 300, seed: 7 }));
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
