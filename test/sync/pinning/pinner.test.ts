import { expect, test } from 'vitest';
import type { Catalog } from '../../../src/catalog/catalog.js';
import type { Metadata } from '../../../src/component/metadata.js';
import type { Source } from '../../../src/component/source.js';
import { precedenceOf } from '../../../src/core/precedence.js';
import { systemPace } from '../../../src/lib/pace.js';
import { inProcess } from '../../../src/lib/pool/task.js';
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
  const pod: Source = { kind: 'pod', url: server.url('/pod/') };
  const registry = await memoryRegistry({ precedence: precedenceOf({ pods: [pod.url], peers: [] }) });
  const clock = new VirtualClock();
  server.everything(({ url }) => ({
    headers: { 'content-type': 'text/javascript' },
    body: url,
    etag: `"${url}"`,
  }));
  let looks = 0;
  const asked: string[] = [];
  const catalog: Pick<Catalog, 'page' | 'state' | 'changes' | 'statements'> = {
    state: () => registry.catalog.state(),
    page: (...request) => {
      looks += 1;
      return registry.catalog.page(...request);
    },
    changes: (request) => {
      looks += 1;
      return registry.catalog.changes(request);
    },
    statements: (uri) => {
      asked.push(uri);
      return registry.catalog.statements(uri);
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
  return { server, registry, clock, pinner, post, until, all, looks: () => looks, asked, pod };
}

test('what comes is pinned in the next round; nothing is looked at while nothing changes', async () => {
  const { post, until, all, looks, clock, server } = await rig();
  await post('one');
  await until(async () => (await all()) === 1);
  await post('two');
  await until(async () => (await all()) === 2);
  const before = looks();
  for (let i = 0; i < 50; i++) {
    clock.pass(30 * SECOND);
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(looks()).toBeLessThanOrEqual(before + 1);
  expect(server.requests.map(({ url }) => url)).toEqual(['/one', '/two']);
});

test('after a change only what has changed is looked at, and what is served in its place', async () => {
  const { registry, server, post, until, all, asked, looks, pod } = await rig();
  const said = (version: string) => component('two', { uri: server.url('/two'), version });
  const say = (...components: Metadata[]) =>
    registry.commit({
      source: pod,
      documents: [{ url: pod.url, components, record: {} }],
      record: { failures: 0 },
    });
  await say(said('2'));
  await registry.upsertLocal([said('1')]);
  await post('one');
  await until(async () => (await all()) === 2);
  const before = looks();
  await post('three');
  await until(async () => (await all()) === 3);
  expect(asked).toEqual([server.url('/three')]);
  await say();
  await until(async () => (await registry.pins.get([said('1')]))[0] !== undefined);
  expect(asked).toEqual([server.url('/three'), server.url('/two')]);
  expect(looks()).toBe(before + 2);
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
