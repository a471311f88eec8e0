import { fork } from 'node:child_process';
import { once } from 'node:events';
import { cp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { bundleProgram } from '../../../scripts/simulate/bundle.js';
import type { Metadata } from '../../../src/component/metadata.js';
import { LOCAL, type Source } from '../../../src/component/source.js';
import { precedenceOf } from '../../../src/core/precedence.js';
import { systemClock } from '../../../src/lib/clock.js';
import { openLevel } from '../../../src/store/disk/database/level.js';
import type { DiskStoreOptions } from '../../../src/store/disk/disk-store.js';
import type { LoadOptions } from '../../../src/store/registry-store.js';
import { component, openRegistry, type TestRegistry } from '../../support/registry.js';
import { seededRandom } from '../../support/seeded-random.js';
import { withQuadStore } from '../../support/stores.js';
import { tempDir } from '../../support/temp-dir.js';
import { rounds, seed, tortureRow } from '../../support/torture.js';
import { waitFor } from '../../support/wait-for.js';

const PODS = ['https://one.example/', 'https://two.example/', 'https://three.example/'];
const ONE: Source = { kind: 'pod', url: PODS[0] as string };
const FILE = 'CATALOG';

let base: string;
let data: string;
let warned: string[];

beforeEach(async () => {
  base = await tempDir();
  data = join(base, 'registry');
  warned = [];
});

/** As a node with these pods opens it. */
async function open(
  pods: readonly string[] = PODS,
  {
    more = {},
    directory = data,
    ...options
  }: Partial<DiskStoreOptions> & { more?: Partial<LoadOptions>; directory?: string } = {},
): Promise<TestRegistry> {
  const level = await openLevel(directory);
  const log = { warn: (_fields: object, message: string) => void warned.push(message) };
  const load = {
    precedence: precedenceOf({ pods, peers: [] }),
    servedAs: JSON.stringify(pods),
    log,
    ...more,
  };
  return openRegistry(level, load, { snapshotsFrom: 1, ...options }).catch(async (error) => {
    await level.close();
    throw error;
  });
}

const many = (from: number, to: number, more: (i: number) => Partial<Metadata> = () => ({})) =>
  Array.from({ length: to - from }, (_, i) =>
    component(`c${String(from + i).padStart(4, '0')}`, { tag: ['all', `t${i % 7}`], ...more(from + i) }),
  );
const say = (registry: TestRegistry, source: Source, components: readonly Metadata[], url = source.url) =>
  registry.commit({
    source,
    documents: [{ url, components, record: { etag: '"1"' } }],
    record: { failures: 0 },
  });

/** Everything that readers may see of a registry. */
async function view(registry: TestRegistry) {
  const page = await registry.catalog.page({});
  const bytes = new Uint8Array(page.json?.bytes ?? 0);
  page.json?.copyTo(bytes);
  const tagged = await registry.catalog.page({ tag: ['all'] });
  const changes = await registry.catalog.changes({ removals: true, limit: 10_000 });
  const { revision, networkRevision, components, feed } = await registry.state();
  return {
    listing: Buffer.from(bytes).toString(),
    everything: (await registry.everything()).map(({ metadata, source, document, trust, since, pin }) => {
      return { metadata, source, document, trust, since, pin };
    }),
    tagged: tagged.json?.bytes,
    counts: await registry.catalog.counts({}, ['tag', 'author', 'shapes', 'source']),
    changes: 'changes' in changes ? changes.changes : changes,
    state: { revision, networkRevision, components, digest: feed.digest, position: feed.position },
    sources: await registry.sources(),
  };
}

/** What a start sees, with the snapshot that is there, and without it. */
async function views(pods?: readonly string[]) {
  const copy = join(base, 'without');
  await rm(copy, { recursive: true, force: true });
  await cp(data, copy, { recursive: true });
  await rm(join(copy, FILE), { force: true });
  const now = { clock: { ...systemClock, now: () => 4e12 } };
  const seen = [];
  for (const directory of [data, copy]) {
    const registry = await open(pods, {
      ...{ directory, more: now },
      snapshotsFrom: Number.POSITIVE_INFINITY,
    });
    seen.push(await view(registry));
    await registry.close();
  }
  return seen;
}

async function filled(): Promise<void> {
  const registry = await open(PODS);
  await registry.upsertLocal(many(0, 60, (i) => ({ version: `1.0.${i % 3}`, latest: i % 2 === 0 })));
  await say(
    registry,
    ONE,
    many(40, 90, () => ({ author: ['Änn'] })),
  );
  await registry.close();
}

describe('a snapshot of the catalog', () => {
  it('is what a start reads: the rows of the statements are not looked at', async () => {
    await filled();
    await withQuadStore(data, async (store) => {
      for await (const page of store.texts('statement'))
        await store.write({ rows: page.map(([key]) => ({ table: 'statement', key })), durable: true });
    });
    const registry = await open();
    expect(await registry.list()).toHaveLength(90);
    await registry.close();
    expect(warned).toEqual([]);
    await rm(join(data, FILE));
    await expect(open()).rejects.toThrow('there are 0 descriptions of components, and 110 have been stored');
  });

  it.each([
    ['cut off', (file: Buffer) => file.subarray(0, file.length - 20)],
    ['cut off in the middle', (file: Buffer) => file.subarray(0, file.length / 2)],
    ['empty', () => Buffer.alloc(0)],
    ['of zeros', (file: Buffer) => Buffer.alloc(file.length)],
  ])('that is %s is said to be of no use, and made anew', async (_what, change) => {
    await filled();
    const file = await readFile(join(data, FILE));
    await writeFile(join(data, FILE), change(file));
    await writeFile(join(data, `${FILE}.new`), 'left over');
    const [withIt, without] = await views();
    expect(withIt).toEqual(without);
    expect(warned).toEqual([expect.stringContaining('snapshot of the catalog cannot be used')]);
    await (await open()).close();
    expect((await readFile(join(data, FILE))).length).toBe(file.length);
    expect(await readdir(data)).not.toContain(`${FILE}.new`);
  });

  it(`with one flipped bit never shows (seed ${seed})`, async () => {
    await filled();
    const [, expected] = await views();
    const file = await readFile(join(data, FILE));
    const random = seededRandom(seed);
    for (let round = 0; round < rounds({ short: 12, full: 400 }); round++) {
      const flipped = Buffer.from(file);
      const at = Math.floor(random() * file.length);
      flipped[at] = (flipped[at] as number) ^ (1 << Math.floor(random() * 8));
      await writeFile(join(data, FILE), flipped);
      const registry = await open(PODS, { snapshotsFrom: Number.POSITIVE_INFINITY });
      expect(await view(registry), `bit in byte ${at}`).toEqual(expected);
      await registry.close();
      expect(warned.splice(0), `bit in byte ${at}`).toHaveLength(1);
    }
  });

  it.each([
    [
      'of other data',
      async () => {
        const own = join(base, 'own');
        await cp(data, own, { recursive: true });
        await rm(data, { recursive: true });
        const registry = await open(PODS, { more: { random: () => 0.25 } });
        await registry.upsertLocal(many(0, 30));
        await registry.close();
        await cp(join(data, FILE), join(own, FILE));
        await rm(data, { recursive: true });
        await cp(own, data, { recursive: true });
      },
    ],
    [
      'of a later state than the data, which is an older copy',
      async () => {
        const older = join(base, 'older');
        await cp(data, older, { recursive: true });
        const registry = await open();
        await registry.upsertLocal(many(100, 130));
        await registry.close();
        await cp(join(data, FILE), join(older, FILE));
        await rm(data, { recursive: true });
        await cp(older, data, { recursive: true });
      },
    ],
  ])('%s is not used', async (_what, exchange) => {
    await filled();
    await exchange();
    const [withIt, without] = await views();
    expect(withIt).toEqual(without);
    expect(withIt?.state.components).toBe(90);
  });

  it('leads to the present state, whatever has happened since it was made', async () => {
    for (let history = 0; history < rounds({ short: 4, full: 200 }); history++) {
      const random = seededRandom(seed + history);
      await rm(data, { recursive: true, force: true });
      const pick = (most: number) => Math.floor(random() * most);
      const someOf = () =>
        many(pick(20), 20 + pick(20), (i) => ({ label: `said ${pick(3)} of ${i}`, version: '1' }));
      const steps = [
        (registry: TestRegistry) => registry.upsertLocal(someOf()),
        (registry: TestRegistry) =>
          registry.removeLocal(component(`c${String(pick(40)).padStart(4, '0')}`).uri),
        (registry: TestRegistry) => say(registry, { kind: 'pod', url: PODS[pick(3)] as string }, someOf()),
        (registry: TestRegistry) => say(registry, ONE, someOf(), `${ONE.url}${pick(2)}`),
        (registry: TestRegistry) => registry.forget({ kind: 'pod', url: PODS[pick(3)] as string }),
        (registry: TestRegistry) => {
          const { uri } = component(`c${String(pick(40)).padStart(4, '0')}`);
          const pin = { uri, version: '1', integrity: `sha384-${pick(3)}`, since: 1, checked: 1 };
          return registry.setPins([pin as never]);
        },
        async () => undefined,
      ];
      const shuffled = () => [...PODS].sort(() => random() - 0.5).slice(0, 1 + pick(3));
      const live = async (count: number, options: Partial<DiskStoreOptions>) => {
        const registry = await open(shuffled(), options);
        for (let step = 0; step < count; step++) await steps[pick(steps.length)]?.(registry);
        await registry.close();
      };
      await live(12, { snapshotsFrom: 0 });
      await live(1 + pick(4), { snapshotsFrom: Number.POSITIVE_INFINITY });
      const [withIt, without] = await views(shuffled());
      expect(withIt, `history of seed ${seed + history}`).toEqual(without);
    }
    expect(warned.filter((one) => one.includes('snapshot'))).toEqual([]);
  });

  it(`leads to the present state, whenever the process was killed (seed ${seed})`, {
    timeout: 300_000 + rounds({ short: 2, full: 500 }) * 10_000,
  }, async () => {
    await filled();
    const random = seededRandom(seed);
    const first = (await stat(join(data, FILE))).ino;
    const writer = await bundleProgram('test/support/snapshot-writer.ts');
    const killed = { 'while it started': 0, 'while it wrote a snapshot': 0, 'at other times': 0 };
    for (let round = 0; round < rounds({ short: 2, full: 500 }); round++) {
      const child = fork(writer, [data, String(round), '60000']);
      const told: string[] = [];
      child.on('message', (message) => told.push(String(message)));
      const ended = once(child, 'exit');
      const until = (isSo: () => boolean | Promise<boolean>) => Promise.race([waitFor(isSo), ended]);
      const moment = random() < 0.4 ? 'starting' : 'open';
      // While it reads the snapshot of the round before, or writes others: in the first round there is one at least.
      if (round === 0) await until(async () => (await stat(join(data, FILE))).ino !== first);
      else await until(() => told.includes(moment));
      await new Promise((resolve) => setTimeout(resolve, random() * 100));
      child.kill('SIGKILL');
      await ended;
      if (!told.includes('open')) killed['while it started'] += 1;
      else if ((await readdir(data)).includes(`${FILE}.new`)) killed['while it wrote a snapshot'] += 1;
      else killed['at other times'] += 1;
      const [withIt, without] = await views(PODS);
      expect(withIt, `round ${round}`).toEqual(without);
    }
    await rm(dirname(writer), { recursive: true });
    tortureRow('snapshot: killed', killed);
    expect(warned).toEqual([]);
  });

  it('is given up at a stop that would take too long for it; the one from before stays', async () => {
    await filled();
    const before = await readFile(join(data, FILE));
    let now = Date.now();
    const slow = () => {
      now += 4000;
      return now;
    };
    const registry = await open(PODS, { more: { clock: { ...systemClock, now: slow } } });
    await registry.upsertLocal(many(200, 210));
    await registry.close();
    expect(warned).toEqual([expect.stringContaining('snapshot of the catalog could not be written')]);
    expect((await readFile(join(data, FILE))).equals(before)).toBe(true);
    expect(await readdir(data)).not.toContain(`${FILE}.new`);
    const [withIt, without] = await views();
    expect(withIt).toEqual(without);
  });

  it('is written from time to time, beside the commits', async () => {
    await filled();
    let now = Date.now();
    const registry = await open(PODS, { more: { clock: { ...systemClock, now: () => now } } });
    const before = await readFile(join(data, FILE));
    now += 4_000_000;
    await registry.upsertLocal(many(200, 201));
    await waitFor(async () => !(await readFile(join(data, FILE))).equals(before));
    await registry.close();
  });
});

describe('quads that are lost while the catalog comes from a snapshot', () => {
  const content = () =>
    withQuadStore(data, async (store) => {
      const all: string[] = [];
      for await (const quads of store.read())
        all.push(
          ...quads.map(({ subject, predicate, object, graph }) =>
            [graph, subject, predicate, object].map(({ value }) => value).join(' '),
          ),
        );
      return all;
    });

  it.each([
    ['all of the local graph', LOCAL.url, Number.POSITIVE_INFINITY],
    ['a single one', LOCAL.url, 1],
    ['all', undefined, Number.POSITIVE_INFINITY],
  ])('%s: it is said whose they are, and they are written anew', async (_what, graph, most) => {
    await filled();
    const before = await content();
    await withQuadStore(data, async (store) => {
      let left = most;
      for await (const quads of store.read()) {
        const remove = quads
          .filter((quad) => graph === undefined || quad.graph.value === graph)
          .slice(0, left);
        left -= remove.length;
        await store.write({ remove, durable: true });
      }
    });
    expect(await content()).not.toEqual(before);
    const registry = await open(PODS, { checkAfter: 0 });
    expect(await registry.list()).toHaveLength(90);
    await waitFor(() => warned.length === (graph ? 2 : 4));
    expect(warned).toEqual(
      expect.arrayContaining([
        expect.stringContaining('do not say what has been stored'),
        expect.stringContaining('written anew'),
      ]),
    );
    await registry.close();
    expect(await content()).toEqual(before);
  });

  it('none: nothing is said', async () => {
    await filled();
    const registry = await open(PODS, { checkAfter: 0 });
    await registry.upsertLocal(many(300, 310));
    await new Promise((resolve) => setTimeout(resolve, 300));
    await registry.close();
    expect(warned).toEqual([]);
  });
});
