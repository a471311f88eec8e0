import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseConfig } from '../src/config.js';
import { systemClock } from '../src/lib/clock.js';
import { createLog } from '../src/lib/log.js';
import { createNode } from '../src/node.js';
import { NETWORKED, prepareInProcess, startInProcess } from './acceptance/adapters/in-process-node.js';
import { fakeServer, held } from './support/fake-server.js';
import { publish } from './support/node/node-reader.js';
import { postJson } from './support/node/post-json.js';
import { tempDir } from './support/temp-dir.js';
import { waitFor } from './support/wait-for.js';

describe('a node', () => {
  it('refuses the data of version 0.2.0, and leaves it as it is', async () => {
    const node = await prepareInProcess();
    await mkdir(join(node.dataDir, 'registry'), { recursive: true });
    const way = /version 0\.2\.0 or before: export it with that version, .* import the file there$/;
    await expect(node.start()).rejects.toThrow(way);
    expect(await readdir(node.dataDir)).toEqual(['registry']);
  });

  it('offers the connection service, and as a mirror only when that is configured', async () => {
    const mirror = { mode: 'mirror', peers: ['http://127.0.0.1:9'] };
    const offered = async (config: object) => {
      const node = await startInProcess({ config: { connection: undefined, ...config } });
      const { status } = await fetch(`${node.url}/connection/`);
      const { paths } = await node.getJson<{ paths: object }>('/openapi.json');
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
    for (const pins of ['off', 'configured']) {
      const given = { pinningTimes: { round: 5, pause: 0, check: 1 } };
      const node = await startInProcess({ config: { ...NETWORKED, pins }, given });
      await publish(node, { uri: server.url(`/${pins}`) });
    }
    const asked = () => server.requests.map(({ url }) => url);
    await waitFor(() => asked().filter((url) => url === '/configured').length > 2);
    expect(asked()).not.toContain('/off');
  });

  it('answers anew once a module fails, and not only when a component changes', async () => {
    const server = await fakeServer();
    const fail = held(server, '/one.js', { status: 404 });
    const given = { pinningTimes: { round: 10, pause: 0, check: 60_000 } };
    const node = await startInProcess({ config: NETWORKED, given });
    const types = ['http://xmlns.com/foaf/0.1/Person'];
    await publish(node, { uri: server.url('/one.js'), shapes: types });
    const isDead = async () =>
      (await (await fetch(`${node.url}/match`, postJson({ types }))).text()).includes('"dead"');
    // The second answer is the first one, out of the cache.
    expect([await isDead(), await isDead()]).toEqual([false, false]);
    fail();
    await waitFor(isDead);
  });

  it('says in the log how far it has read its data', async () => {
    const node = await startInProcess({ config: NETWORKED });
    await publish(node, { uri: 'https://c.example/a.js' });
    await node.stop();
    const { length } = node.log;

    let now = systemClock.now();
    // A clock by which each step of loading takes seconds, as it does with a million components.
    const tick = () => {
      now += 5_000;
      return now;
    };
    await node.start({ config: NETWORKED, given: { clock: { ...systemClock, now: tick } } });
    const said: readonly Record<string, unknown>[] = node.log.slice(length);
    const progress = said.findIndex(({ read, of }) => read === 1 && of === 1);
    expect(said[progress]).toMatchObject({ level: 'info', msg: expect.stringContaining('reading') });
    expect(progress).toBeLessThan(said.findIndex(({ msg }) => msg === 'listening'));
  });

  it('says why it cannot start, also when what has begun cannot be stopped', async () => {
    const lines: string[] = [];
    const log = createLog({ level: 'warn', destination: { write: (line) => lines.push(line) } });
    const fails = (what: string) => () => Promise.reject(new Error(what));
    const place = { isShared: false, isQuadstore: true, keep: fails('damaged'), close: fails('stuck') };
    const config = parseConfig({ listen: { port: 0 } }, { directory: await tempDir(), env: {} });
    const starting = createNode(config, { log, openPlace: async () => place }).start();
    await expect(starting).rejects.toThrow('damaged');
    expect(lines).toEqual([expect.stringContaining('the store did not stop')]);
  });

  it('can be stopped before it is started, and twice', async () => {
    const config = parseConfig({ listen: { port: 0 } }, { directory: await tempDir(), env: {} });
    const stopped = createNode(config, { log: createLog({ level: 'silent' }) });
    await stopped.stop();
    await expect(stopped.start()).rejects.toThrow();
    await stopped.stop();
  });
});
