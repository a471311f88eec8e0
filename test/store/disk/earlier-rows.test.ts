import { fork } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DataFactory } from 'n3';
import { beforeEach, expect, it } from 'vitest';
import { componentsFromQuads } from '../../../src/component/reading/descriptions.js';
import { LOCAL, type Source } from '../../../src/component/source.js';
import { storedQuads } from '../../../src/component/writing/metadata-quads.js';
import { precedenceOf } from '../../../src/core/precedence.js';
import { type Level, openLevel } from '../../../src/store/disk/database/level.js';
import type { DiskStoreOptions } from '../../../src/store/disk/disk-store.js';
import { otherSources } from '../../../src/store/disk/loading/check-quads.js';
import { rowsWithText, writeEarlierRows } from '../../support/earlier-rows.js';
import { component, openRegistry, type TestRegistry, VOCABULARY } from '../../support/registry.js';
import { seededRandom } from '../../support/seeded-random.js';
import { withQuadStore } from '../../support/stores.js';
import { tempDir } from '../../support/temp-dir.js';
import { rounds, seed } from '../../support/torture.js';
import { waitFor } from '../../support/wait-for.js';

const POD: Source = { kind: 'pod', url: 'https://pod.example/' };
const precedence = precedenceOf({ pods: [POD.url], peers: [] });

let base: string;
let data: string;
let warned: string[];
let level: Level;
/** Have all rows been looked through? */
const isDone = async () => (await level.get('!meta!slim')) !== undefined;

beforeEach(async () => {
  base = await tempDir();
  data = join(base, 'registry');
  warned = [];
});

async function open(options: Partial<DiskStoreOptions> = {}): Promise<TestRegistry> {
  const log = { warn: (_fields: object, message: string) => void warned.push(message) };
  level = await openLevel(data);
  return openRegistry(level, { precedence, log }, { checkAfter: 1e9, ...options });
}

/** Components that have a value of each kind, some of them described twice; capabilities as they are read. */
async function fill(count: number): Promise<void> {
  const registry = await open();
  const some = (from: number, to: number, label: string) =>
    Array.from({ length: to - from }, (_, i) => {
      const one = component(`c${from + i}`, {
        ...{ label: `${label}, {"@id": too`, description: 'Ünï', version: `1.${i}.0`, latest: i % 2 === 0 },
        ...{ author: ['Ann', 'Bob'], tag: ['x'], shapes: ['urn:s'] },
        capability: [{ action: 'http://www.w3.org/ns/odrl/2/display', invocation: [] }] as never,
      });
      const quads = storedQuads(one, VOCABULARY, DataFactory.defaultGraph());
      return componentsFromQuads(quads, VOCABULARY).components[0] ?? one;
    });
  await registry.upsertLocal(some(0, count, 'posted'));
  const components = some(Math.floor(count / 2), Math.floor(count * 1.5), 'of the pod');
  const documents = [{ url: POD.url, components, record: { etag: '"1"' } }];
  await registry.commit({ source: POD, documents, record: { failures: 0 } });
  await registry.close();
}

async function view(registry: TestRegistry) {
  const { revision, feed } = await registry.state();
  const changes = await registry.catalog.changes({ limit: 10_000 });
  const said = (await registry.everything()).map(({ metadata, source, document, trust, since }) => {
    return { metadata, source, document, trust, since };
  });
  return { revision, feed, changes, sources: await registry.sources(), said };
}

async function seen() {
  const registry = await open();
  const said = await view(registry);
  await registry.close();
  return said;
}

it.each([
  ['all', () => true],
  ['some', (uri: string) => uri.includes('7')],
])(
  'of %s statements are read as ever, and lose their text once the quads are checked',
  async (_some, isWanted) => {
    await fill(100);
    const expected = await seen();
    await withQuadStore(data, (store) => writeEarlierRows(store, isWanted));
    const [before, all] = await withQuadStore(data, rowsWithText);
    expect(before).toBeGreaterThan(30);
    const registry = await open({ checkAfter: 0 });
    expect(await view(registry)).toEqual(expected);
    await waitFor(isDone);
    expect(await view(registry)).toEqual(expected);
    await registry.close();
    expect(await withQuadStore(data, rowsWithText)).toEqual([0, all]);
    expect(await seen()).toEqual(expected);
    expect(warned).toEqual([]);
  },
);

it('keep their text where the quads say something else', async () => {
  await fill(20);
  await withQuadStore(data, async (store) => {
    await writeEarlierRows(store);
    for await (const quads of store.read(LOCAL.url)) {
      const one = quads.find(({ object }) => object.value === 'Ann');
      if (!one) continue;
      const { subject, predicate, graph } = one;
      const other = DataFactory.quad(
        subject as never,
        predicate as never,
        DataFactory.literal('Eve'),
        graph as never,
      );
      await store.write({ remove: [one], add: [other as never], durable: true });
    }
  });
  const registry = await open({ checkAfter: 0 });
  await waitFor(() => warned.length === 2);
  await registry.close();
  expect(warned[1]).toMatch(/posted here.*repair/);
  const [left] = await withQuadStore(data, rowsWithText);
  expect(left).toBeGreaterThanOrEqual(20);
});

it(`lose their text, whenever the process is killed meanwhile (seed ${seed})`, {
  timeout: 300_000 + rounds({ short: 1, full: 300 }) * 10_000,
}, async () => {
  await fill(600);
  await withQuadStore(data, (store) => writeEarlierRows(store));
  const random = seededRandom(seed);
  const writer = fileURLToPath(new URL('../../support/snapshot-writer.ts', import.meta.url));
  let withText = 1200;
  for (let round = 0; round < rounds({ short: 1, full: 300 }) && withText > 0; round++) {
    const child = fork(writer, [data, String(round), '0'], { execArgv: ['--import', 'tsx'] });
    const ended = once(child, 'exit');
    await Promise.race([once(child, 'message'), ended]);
    await new Promise((resolve) => setTimeout(resolve, random() * 1200));
    child.kill('SIGKILL');
    await ended;
    const [left] = await withQuadStore(data, rowsWithText);
    expect(left).toBeLessThanOrEqual(withText);
    withText = left;
    const withIt = await seen();
    await rm(join(data, 'CATALOG'), { force: true });
    expect(await seen(), `round ${round}`).toEqual(withIt);
  }
  const registry = await open({ checkAfter: 0 });
  await registry.upsertLocal([component('late')]);
  await waitFor(isDone);
  await registry.close();
  expect((await withQuadStore(data, rowsWithText))[0]).toBe(0);
  expect(await withQuadStore(data, (store) => otherSources(store, VOCABULARY))).toEqual([]);
  expect(warned).toEqual([]);
});
