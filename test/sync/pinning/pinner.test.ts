import { expect, test } from 'vitest';
import type { Catalog } from '../../../src/catalog/catalog.js';
import type { Source } from '../../../src/component/source.js';
import { precedenceOf } from '../../../src/core/precedence.js';
import { systemPace } from '../../../src/lib/pace.js';
import { inProcess } from '../../../src/lib/pool/task.js';
import type { Pins } from '../../../src/registry/pins.js';
import { Pinner } from '../../../src/sync/pinning/pinner.js';
import { cleanup } from '../../support/cleanup.js';
import { door, passingServer } from '../../support/guarded-doors.js';
import { component, memoryRegistry } from '../../support/registry.js';
import { VirtualClock } from '../../support/virtual-clock.js';
import { waitFor } from '../../support/wait-for.js';

const SECOND = 1_000;
const DAY = 24 * 3_600 * SECOND;

/** @param part components that are looked at in one round */
async function rig(part = 500) {
  const server = await passingServer();
  const pod: Source = { kind: 'pod', url: server.url('/pod/') };
  const registry = await memoryRegistry({ precedence: precedenceOf({ pods: [pod.url], peers: [] }) });
  const clock = new VirtualClock();
  server.everything(({ url }) => ({
    headers: { 'content-type': 'text/javascript' },
    body: url,
    etag: `"${url}"`,
  }));
  /** The `after` of each part of the registry that was looked at. */
  const parts: (string | undefined)[] = [];
  const catalog: Pick<Catalog, 'page' | 'state'> = {
    state: () => registry.catalog.state(),
    page: (query, request) => {
      parts.push(request?.after);
      return registry.catalog.page(query, { ...request, limit: part });
    },
  };
  /** How many pins were asked for at a time. */
  const listed: number[] = [];
  const pins: Pins = {
    change: (...change) => registry.pins.change(...change),
    get: (subjects) => registry.pins.get(subjects),
    counts: () => registry.pins.counts(),
    list: (request) => {
      listed.push(request.limit);
      return registry.pins.list(request);
    },
  };
  const line = () => undefined;
  const pinner = new Pinner({
    ...{
      scope: 'configured',
      catalog,
      pins,
      fetch: door({ allowPrivate: true }),
      clock,
      pool: inProcess(systemPace),
      pace: systemPace,
    },
    log: { debug: line, info: line, warn: line },
    times: { round: 30 * SECOND, pause: 0, check: DAY },
  });
  cleanup(() => pinner.stop());
  pinner.start();
  const post = (name: string) =>
    registry.upsertLocal([component(name, { uri: server.url(`/${name}`), version: '1' })]);
  /** Lets time pass, a round after the other, until something is so. */
  const until = (holds: () => Promise<boolean> | boolean, step = 30 * SECOND) =>
    waitFor(
      async () => {
        clock.pass(step);
        return holds();
      },
      { describe: 'the rounds to do their work' },
    );
  const all = async () => (await registry.pins.counts()).all;
  return { server, registry, clock, pinner, post, until, all, parts, listed };
}

test('what comes is pinned in the next round; nothing is looked at while nothing changes', async () => {
  const { post, until, all, parts, clock, server } = await rig();
  await post('one');
  await until(async () => (await all()) === 1);
  await post('two');
  await until(async () => (await all()) === 2);
  const before = parts.length;
  for (let i = 0; i < 50; i++) {
    clock.pass(30 * SECOND);
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(parts.length).toBeLessThanOrEqual(before + 1);
  expect(server.requests.map(({ url }) => url)).toEqual(['/one', '/two']);
});

test('a large registry is gone through part by part, one in each round', async () => {
  const { server, post, until, all, parts } = await rig(2);
  for (const name of ['a', 'b', 'c', 'd', 'e']) await post(name);
  await until(async () => (await all()) === 5);
  expect(parts.slice(0, 3)).toEqual([undefined, server.url('/b'), server.url('/d')]);
  // What comes before the part that is next is looked at in the next walk.
  await post('0');
  await until(async () => (await all()) === 6);
});

test('modules are looked at again from time to time; what nobody describes any more is forgotten after half a year', async () => {
  const { registry, post, until, all, server, listed } = await rig();
  await post('one');
  await post('two');
  await until(async () => (await all()) === 2);
  await registry.removeLocal(server.url('/one'));
  await until(() => server.requests.filter(({ url }) => url === '/two').length >= 3, DAY);
  expect(server.requests.filter(({ url }) => url === '/one')).toHaveLength(1);
  expect(await all()).toBe(2);
  await until(async () => (await all()) === 1, 10 * DAY);
  // There may be a hundred thousand.
  expect(Math.max(...listed)).toBeLessThanOrEqual(500);
  const [left] = await registry.pins.list({ limit: 10 });
  expect(left?.uri).toBe(server.url('/two'));
});

test('stopping waits for nothing that may take long', async () => {
  const { server, post, until, pinner } = await rig();
  server.everything({ hang: 'answer' });
  await post('one');
  await until(() => server.requests.length === 1);
  await pinner.stop();
});
