import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { withMetadata } from '../../src/catalog/description.js';
import { sourceKey } from '../../src/component/source.js';
import { inviteLink, isGenuine } from '../../src/connection/invites/invite-link.js';
import { Records } from '../../src/connection/records/records.js';
import { readKeySecret, shareKey } from '../../src/connection/tokens/key-file.js';
import { openMemory } from '../../src/keep/memory/memory-keep.js';
import { systemClock } from '../../src/lib/clock.js';
import { MOST_AT_ONCE } from '../../src/registry/difference.js';
import { openRegistry } from '../../src/registry/open-registry.js';
import { checkExport } from '../../src/transfer/export-file.js';
import type { ExportRecord } from '../../src/transfer/export-record.js';
import { restoreRegistry } from '../../src/transfer/restore-registry.js';
import { LEARNED, POD_A } from '../registry/sources.js';
import { metadata } from '../support/arbitrary.js';
import { hasPostgres } from '../support/postgres-programs.js';
import { component, memoryData, memoryRegistry, registryOptions } from '../support/registry.js';
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
  type TransferEngine,
  withTransfer,
} from '../support/transfer.js';

let folder: string;
let file: string;
let expected: unknown;

beforeAll(async () => {
  folder = await tempDir();
  file = join(folder, 'all');
  const held = await openTransfer();
  await fillTransfer(held);
  await exportTo(file, held);
  expected = await contents(held);
});

const FAILED = {
  source: { kind: 'pod', url: 'https://never.example/' },
  documents: [],
  record: { failures: 1, error: 'refused' },
} as const;
const RECORD = { uri: 'urn:c', holder: 'urn:h' };
const CONNECTED = {
  rows: [{ table: 'connection', key: 'urn:h urn:c', value: JSON.stringify({ seq: 1, record: RECORD }) }],
  result: undefined,
};

describe.each(TRANSFER_ENGINES)('an import into %s', (name) => {
  let engine: TransferEngine;

  beforeEach(async () => {
    engine = await engineOf(name);
  });

  it.each<[what: string, fill: (held: OpenTransfer) => Promise<unknown>]>([
    ['statements', (held) => held.test.upsertLocal([component('mine')])],
    ['a source that has never been read', (held) => held.test.commit(FAILED)],
    ['a connection alone', (held) => held.connections.exclusively(async () => CONNECTED)],
  ])('is refused where there is %s, which stays as it is', async (_, fill) => {
    const before = await withTransfer(engine, async (held) => {
      await fill(held);
      return contents(held);
    });
    const why = /holds what a node has stored|has been started on this/;
    await expect(importFrom(file, engine)).rejects.toThrow(why);
    expect(await withTransfer(engine, contents)).toEqual(before);
  });

  it('reads what version 0.2.0 has exported', async () => {
    const earlier = new URL('../fixtures/transfer/export-of-0.2.0', import.meta.url).pathname;
    const { counts, invalid } = await checkExport(earlier);
    // A shape that is no IRI, which 0.2.0 took, would make whole documents unreadable.
    expect([invalid, counts.get('statement')]).toEqual([1, 4]);
    await importFrom(earlier, engine);
    await withTransfer(engine, async (held) => {
      expect(await held.test.labels()).toEqual(['Card', 'Far', 'Own']);
      const records = new Records(held.connections);
      expect(await records.named('invite', [`https://pod.example/${'x'.repeat(1_100)}`])).toHaveLength(1);
      const exchange = 'http://localhost:4702/exchange/28785d76-42a3-4f16-a1cc-2aae1b9a0253';
      expect(await records.exchanged([exchange])).toMatchObject([{ exchange, state: 'linked' }]);
    });
  });
});

it('dates no change earlier than those before it, whatever the file says, and in however many commits they come', async () => {
  const seen = { source: POD_A, first: 'sha384-a', last: 'sha384-a', since: 1, checked: 1 };
  const pins = Array.from({ length: MOST_AT_ONCE }, (_, i): ExportRecord => {
    return { type: 'pin', pin: { ...seen, uri: `${POD_A.url}${i}` } };
  });
  const said = (name: string, at: number): ExportRecord => {
    return { type: 'statement', source: POD_A, document: POD_A.url, at, component: component(name) };
  };
  async function* records() {
    yield* [said('a', 2_000), said('b', 1_000), ...pins, said('c', 1_500), said('d', 3_000)];
  }
  const [data, options] = [memoryData(), registryOptions()];
  const keep = await openMemory(data, { clock: systemClock }).keep('registry');
  await restoreRegistry(await openRegistry(keep, options, options), records());
  const registry = await memoryRegistry({}, data);
  expect((await registry.pins.counts()).all).toBe(pins.length);
  expect((await registry.everything()).map(({ since }) => since)).toEqual([2_000, 2_000, 2_000, 3_000]);
  await registry.close();
});

it('a link that its holder has ended with version 0.2.0 stays ended', () => {
  const [key, invite] = [Buffer.alloc(32), { uri: 'urn:i', holder: 'urn:h', expires: '9' }];
  const linkOf = (one: typeof invite) => new URL(inviteLink('http://n', one, key)).searchParams;
  const ended = { ...invite, linksEnded: 1 };
  expect(isGenuine(linkOf(invite), ended, key)).toBe(false);
  expect(isGenuine(linkOf(ended), ended, key)).toBe(true);
});

const [FROM, TO] = ['disk', TRANSFER_ENGINES.at(-1) ?? 'disk'];

it(`from ${FROM} to ${TO} and back, everything is kept with its digests and times, whatever texts strangers have written`, async () => {
  let held = await openTransfer(await engineOf(FROM));
  await fillTransfer(held);
  await held.test.say(LEARNED, fc.sample(metadata, { numRuns: 300, seed: 7 }));
  const all = [await contents(held), await listed(held)];
  const started = Date.now();
  for (const [i, name] of [TO, FROM].entries()) {
    const exported = join(folder, i === 0 ? '1.gz' : '2');
    await exportTo(exported, held);
    await held.test.close();
    const engine = await engineOf(name);
    await importFrom(exported, engine);
    held = await openTransfer(engine);
    // Whoever has read older lists before the export must not be told that they are still these.
    expect((await held.test.state()).networkRevision.since).toBeGreaterThanOrEqual(started);
    expect([await contents(held), await listed(held)]).toEqual(all);
  }
  await held.test.close();
});

/** Every description in the order of the listing, and per source, what the feed says of it. */
async function listed({ test }: OpenTransfer) {
  const { feed } = await test.state();
  const lines = feed.sources.map(({ position: _, ...line }) => [sourceKey(line.source), line] as const);
  return [(await test.everything()).map(withMetadata), new Map(lines)];
}

describe('an import into a data directory', () => {
  it('that is broken off changes nothing, leaves nothing, and is repeated', async () => {
    const engine = await engineOf('disk');
    // What a process leaves that is killed.
    const left = join(engine.dataDir, 'importing', 'store');
    await mkdir(left, { recursive: true });
    await writeFile(join(left, 'CURRENT'), 'MANIFEST-000001\n');
    const installKey = () => Promise.reject(new Error('broken off'));
    await expect(importFrom(file, engine, { installKey })).rejects.toThrow('broken off');
    expect(await readdir(engine.dataDir)).toEqual(['store']);
    await importFrom(file, engine);
    expect(await withTransfer(engine, contents)).toEqual(expected);
    expect(await readdir(engine.dataDir)).toEqual(['store']);
  });

  it('takes the place of what a node has written that was only started', async () => {
    const engine = await engineOf('disk');
    const storage = [{ url: 'https://a.example/', hops: 0, via: [] }];
    await withTransfer(engine, ({ test }) => test.setNetwork({ peers: [], storage }));
    await importFrom(file, engine);
    expect(await withTransfer(engine, contents)).toEqual(expected);
  });

  it('is refused while a node runs on it, which goes on', async () => {
    const engine = await engineOf('disk');
    await withTransfer(engine, async ({ test }) => {
      await expect(importFrom(file, engine)).rejects.toThrow('is in use by another process');
      await test.upsertLocal([component('mine')]);
      expect(await test.labels()).toEqual(['mine']);
    });
  });
});

it.skipIf(!hasPostgres())('an import into a database gives all nodes the key of the file', async () => {
  const engine = await engineOf('postgres');
  const key = Buffer.alloc(32, 7).toString('base64url');
  const keyed = join(folder, 'keyed');
  await exportTo(keyed, await openTransfer(), key);
  await importFrom(keyed, engine);
  const dataDir = await tempDir();
  await withTransfer(engine, ({ connections }) => shareKey(connections, dataDir));
  expect((await readKeySecret(dataDir))?.toString('base64url')).toBe(key);
});
