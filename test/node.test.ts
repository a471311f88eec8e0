import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { type Config, parseConfig } from '../src/config.js';
import { systemClock } from '../src/lib/clock.js';
import { createLog } from '../src/lib/log.js';
import { createNode } from '../src/node.js';
import { fakeServer, held } from './support/fake-server.js';
import { postJson } from './support/node/post-json.js';
import { tempDir } from './support/temp-dir.js';
import { waitFor } from './support/wait-for.js';

describe('a node', () => {
  let directory: string;
  beforeEach(async () => {
    directory = await tempDir();
  });

  const config = (value: object): Config =>
    parseConfig({ listen: { port: 0 }, ...value }, { directory, env: {} });
  const node = (value: object) => createNode(config(value), { log: createLog({ level: 'silent' }) });

  it('refuses the data of version 0.2.0, and leaves it as it is', async () => {
    await mkdir(join(directory, 'data', 'registry'), { recursive: true });
    const way = /version 0\.2\.0 or before: export it with that version, .* import the file there$/;
    await expect(node({}).start()).rejects.toThrow(way);
    expect(await readdir(join(directory, 'data'))).toEqual(['registry']);
  });

  it('offers the connection service, and as a mirror only when that is configured', async () => {
    const mirror = { mode: 'mirror', peers: ['http://127.0.0.1:9'] };
    const offered = async (value: object) => {
      const running = node(value);
      const { url } = await running.start();
      const { status } = await fetch(`${url}/connection/`);
      const { paths } = (await (await fetch(`${url}/openapi.json`)).json()) as { paths: object };
      await running.stop();
      return [status, '/connection' in paths];
    };
    expect(await offered({})).toEqual([401, true]);
    expect(await offered(mirror)).toEqual([404, false]);
    expect(await offered({ ...mirror, connection: { enabled: true } })).toEqual([401, true]);
  });

  it('fetches modules to pin them, and none where pins are off', async () => {
    const server = await fakeServer();
    const module = { headers: { 'content-type': 'text/javascript' }, body: 'export {};' };
    server.on('/off', module).on('/configured', module);
    const posting = async (pins: string) => {
      const value = { write: 'open', network: { allowPrivate: true }, dataDir: pins, pins };
      const running = createNode(config(value), {
        log: createLog({ level: 'silent' }),
        pinningTimes: { round: 5, pause: 0, check: 1 },
      });
      const { url } = await running.start();
      await fetch(`${url}/component`, postJson({ uri: server.url(`/${pins}`), label: pins }));
      return running;
    };
    const nodes = [await posting('off'), await posting('configured')];
    const asked = () => server.requests.map(({ url }) => url);
    await waitFor(() => asked().filter((url) => url === '/configured').length > 2);
    expect(asked()).not.toContain('/off');
    for (const running of nodes) await running.stop();
  });

  it('answers anew once a module fails, and not only when a component changes', async () => {
    const server = await fakeServer();
    const fail = held(server, '/one.js', { status: 404 });
    const running = createNode(config({ write: 'open', network: { allowPrivate: true } }), {
      log: createLog({ level: 'silent' }),
      pinningTimes: { round: 10, pause: 0, check: 60_000 },
    });
    const { url } = await running.start();
    const ask = async (path: string, body: object) => (await fetch(url + path, postJson(body))).text();
    const type = 'http://xmlns.com/foaf/0.1/Person';
    await ask('/component', { uri: server.url('/one.js'), label: 'One', shapes: [type] });
    const isDead = async () => (await ask('/match', { types: [type] })).includes('"dead"');
    // The second answer is the first one, out of the cache.
    expect([await isDead(), await isDead()]).toEqual([false, false]);
    fail();
    await waitFor(isDead);
    await running.stop();
  });

  it('says in the log how far it has read its data', async () => {
    const registry = node({ write: 'open' });
    const { url } = await registry.start();
    await fetch(`${url}/component`, postJson({ uri: 'https://c.example/a.js', label: 'A' }));
    await registry.stop();

    const lines: string[] = [];
    let now = systemClock.now();
    // A clock by which each step of loading takes seconds, as it does with a million components.
    const tick = () => {
      now += 5_000;
      return now;
    };
    const clock = { ...systemClock, now: tick };
    const log = createLog({ destination: { write: (line) => lines.push(line) } });
    const again = createNode(config({}), { log, clock });
    await again.start();
    await again.stop();
    const said = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    const progress = said.findIndex(({ read, of }) => read === 1 && of === 1);
    expect(said[progress]).toMatchObject({ level: 'info', msg: expect.stringContaining('reading') });
    expect(progress).toBeLessThan(said.findIndex(({ msg }) => msg === 'listening'));
  });

  it('says why it cannot start, also when what has begun cannot be stopped', async () => {
    const lines: string[] = [];
    const log = createLog({ level: 'warn', destination: { write: (line) => lines.push(line) } });
    const fails = (what: string) => () => Promise.reject(new Error(what));
    const place = { isShared: false, keep: fails('damaged'), close: fails('stuck') };
    const starting = createNode(config({}), { log, openPlace: async () => place }).start();
    await expect(starting).rejects.toThrow('damaged');
    expect(lines).toEqual([expect.stringContaining('the store did not stop')]);
  });

  it('can be stopped before it is started, and twice', async () => {
    const stopped = node({});
    await stopped.stop();
    await expect(stopped.start()).rejects.toThrow();
    await stopped.stop();
  });
});
