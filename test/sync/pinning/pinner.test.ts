import { expect, test } from 'vitest';
import { systemPace } from '../../../src/lib/pace.js';
import type { Catalog } from '../../../src/registry/catalog.js';
import { Pinner } from '../../../src/sync/pinning/pinner.js';
import { cleanup } from '../../support/cleanup.js';
import { door, passingServer } from '../../support/guarded-doors.js';
import { component, memoryRegistry } from '../../support/registry.js';
import { VirtualClock } from '../../support/virtual-clock.js';
import { waitFor } from '../../support/wait-for.js';

const SECOND = 1_000;
const DAY = 24 * 3_600 * SECOND;

async function rig() {
  const server = await passingServer();
  const registry = await memoryRegistry();
  const clock = new VirtualClock();
  server.everything(({ url }) => ({
    headers: { 'content-type': 'text/javascript' },
    body: url,
    etag: `"${url}"`,
  }));
  let looks = 0;
  const catalog: Pick<Catalog, 'page' | 'state'> = {
    state: () => registry.catalog.state(),
    page: (...request) => {
      looks += 1;
      return registry.catalog.page(...request);
    },
  };
  const line = () => undefined;
  const pinner = new Pinner({
    ...{
      scope: 'configured',
      catalog,
      pins: registry.pins,
      fetch: door({ allowPrivate: true }),
      clock,
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
  return { server, registry, clock, pinner, post, until, all, looks: () => looks };
}

test('what comes is pinned in the next round; nothing is looked at while nothing changes', async () => {
  const { post, until, all, looks, clock, server } = await rig();
  await post('one');
  await until(async () => (await all()) === 1);
  await post('two');
  await until(async () => (await all()) === 2);
  // Once more, because pins have moved the revision.
  await until(() => looks() >= 3);
  const before = looks();
  for (let i = 0; i < 50; i++) {
    clock.pass(30 * SECOND);
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(looks()).toBeLessThanOrEqual(before + 1);
  expect(server.requests.map(({ url }) => url)).toEqual(['/one', '/two']);
});

test('modules are looked at again from time to time; what nobody describes any more is forgotten after half a year', async () => {
  const { registry, post, until, all, server } = await rig();
  await post('one');
  await post('two');
  await until(async () => (await all()) === 2);
  await registry.removeLocal(server.url('/one'));
  await until(() => server.requests.filter(({ url }) => url === '/two').length >= 3, DAY);
  expect(server.requests.filter(({ url }) => url === '/one')).toHaveLength(1);
  expect(await all()).toBe(2);
  await until(async () => (await all()) === 1, 10 * DAY);
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
