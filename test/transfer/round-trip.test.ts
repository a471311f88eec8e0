import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sourceKey } from '../../src/component/source.js';
import { POD_A } from '../registry/sources.js';
import { metadata } from '../support/arbitrary.js';
import { cleanup } from '../support/cleanup.js';
import { tempDir } from '../support/temp-dir.js';
import {
  contents,
  exportTo,
  fillTransfer,
  importFrom,
  type OpenTransfer,
  openTransfer,
} from '../support/transfer.js';
import { TRANSFER_ENGINES } from '../support/transfer-engines.js';

const NAMES = Object.keys(TRANSFER_ENGINES);
const PAIRS = NAMES.flatMap((from) => NAMES.map((to) => [from, to] as const));

async function open(name: string) {
  const engine = await TRANSFER_ENGINES[name]?.();
  if (!engine) throw new Error(`There is no engine ${name}`);
  cleanup(() => engine.registry.remove());
  return { engine, held: await openTransfer(engine) };
}

describe.each(PAIRS)('from %s to %s and back', (from, to) => {
  it('keeps everything, with the same digests and times', async () => {
    const folder = await tempDir();
    const first = await open(from);
    await fillTransfer(first.held);
    const { digests } = await exportTo(join(folder, '1.gz'), first.held);

    const started = Date.now();
    const second = await open(to);
    expect(await importFrom(join(folder, '1.gz'), second.held)).toEqual({ wasThere: false, resumedAt: 0 });
    expect((await exportTo(join(folder, '2'), second.held)).digests).toEqual(digests);

    // Whoever has read older lists before the export must not be told that they are still these.
    expect((await second.held.test.state()).networkRevision.since).toBeGreaterThanOrEqual(started);

    const third = await open(from);
    await importFrom(join(folder, '2'), third.held);
    expect((await exportTo(join(folder, '3'), third.held)).digests).toEqual(digests);

    const expected = await contents(first.held);
    for (const { engine, held } of [second, third]) {
      expect(await contents(held)).toEqual(expected);
      expect(await linesOf(held.test)).toEqual(await linesOf(first.held.test));
      await held.close();
      const again = await openTransfer(engine);
      expect(await contents(again)).toEqual(expected);
      expect(await served(again.test)).toEqual(await served(first.held.test));
      await again.close();
    }
    await first.held.close();
  });
});

/** Every description in the order of the listing, with when it came and whose it is. */
async function served(test: OpenTransfer['test']) {
  const all = await test.everything();
  return all.map(({ metadata, source, document, since, trust, pin }) => [
    ...[metadata.uri, metadata.label, metadata.latest, source, document, since, trust, pin],
  ]);
}

/** Per source, what the feed says of it. */
async function linesOf(test: OpenTransfer['test']) {
  const { feed } = await test.state();
  return new Map(
    feed.sources.map(({ source, rank, count, digest }) => [sourceKey(source), [rank, count, digest]]),
  );
}

describe('an export', () => {
  it('keeps whatever texts strangers have written', async () => {
    const folder = await tempDir();
    const components = fc.sample(metadata, { numRuns: 300, seed: 7 });
    const { held } = await open('memory');
    await held.test.commit({
      source: POD_A,
      documents: [{ url: `${POD_A.url}doc`, components, record: {} }],
      record: { failures: 0 },
    });
    await exportTo(join(folder, 'file'), held);
    const text = await readFile(join(folder, 'file'), 'utf8');
    for (const line of text.trimEnd().split('\n')) expect(JSON.parse(line)).toHaveProperty('type');
    const other = await open('disk');
    await importFrom(join(folder, 'file'), other.held);
    expect(await contents(other.held)).toEqual(await contents(held));
    await other.held.close();
  });
});
