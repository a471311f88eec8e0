import { readdirSync } from 'node:fs';
import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FakeServer, fakeServer } from '../support/fake-server.js';
import { HealthProbe } from '../support/health-probe.js';
import { type HostileDocument, LARGE, OF_PEERS, SMALL } from '../support/hostile-documents.js';
import { type NodeProcess, startNode } from '../support/node-process.js';
import { OPERATOR_TOKEN, statusOf } from '../support/node-reader.js';
import { waitFor } from '../support/wait-for.js';

/** Before there was a pool of workers, each of these documents took from 3 s up to minutes, in which nobody was answered. */
const LONGEST_WAIT_MS = 1000;
/** Above the memory of the idle node, in bytes, when everything is over. */
const LEFT_BEHIND = 150_000_000;

const pathOf = (name: string) => `/${encodeURIComponent(name)}`;
const authorization = `Bearer ${OPERATOR_TOKEN}`;

describe('what a stranger wrote keeps no other client waiting', () => {
  let server: FakeServer;
  let node: NodeProcess;
  let probe: HealthProbe;
  let answers = 0;
  let idle: { threads: number; memory: number };

  beforeAll(async () => {
    server = await fakeServer();
    for (const [name, { type, body }] of Object.entries({ ...SMALL, ...LARGE })) {
      serve(pathOf(name), { type, body });
    }
    for (const [name, { peers, component }] of Object.entries(OF_PEERS)) {
      serve(`${pathOf(name)}-peer/peers`, peers);
      serve(`${pathOf(name)}-peer/storage`, undefined);
      serve(`${pathOf(name)}-peer/component`, component);
    }
    node = await startNode({
      config: {
        write: 'open',
        pods: Object.keys(LARGE).map((name) => server.url(pathOf(name))),
        peers: Object.keys(OF_PEERS).map((name) => server.url(`${pathOf(name)}-peer`)),
        sync: { schedule: '0 0 1 1 *' },
        network: { allowPrivate: true },
        connection: { enabled: true, path: '/connections' },
      },
      env: { REGISTRY_OPERATOR_TOKEN: OPERATOR_TOKEN },
    });
    idle = { threads: threads(), memory: await memory() };
    // What is never due is read once at the start: then it is quiet.
    const quiet = async () => {
      const { sources } = await node.getJson<{ sources: { lastAttempt?: string }[] }>('/status');
      return sources.every(({ lastAttempt }) => lastAttempt !== undefined);
    };
    probe = new HealthProbe(node.url);
    await waitFor(quiet, { timeoutMs: 150_000, describe: 'the first polls' });
    const { longest } = await probe.look();
    expect(longest).toBeLessThan(LONGEST_WAIT_MS);
  });
  afterAll(async () => {
    await probe?.stop();
    await node?.kill();
    await server?.close();
  });

  function serve(path: string, answer: HostileDocument = { type: 'application/json', body: '[]' }): void {
    const headers = { 'content-type': answer.type };
    // Never quite the same: what has not changed is not read again.
    server.on(path, () => ({ headers, body: answer.body + '\n'.repeat(++answers) }));
  }

  const threads = () => readdirSync(`/proc/${node.log[0]?.pid}/task`).length;

  async function memory(): Promise<number> {
    const metrics = await (await fetch(`${node.url}/metrics`)).text();
    return Number(/^process_resident_memory_bytes (\S+)$/m.exec(metrics)?.[1]);
  }

  /** Does something, and says how it went and that nobody had to wait for it. */
  async function attack<T>(what: () => Promise<T>): Promise<T> {
    await probe.look();
    const result = await what();
    let longest = 0;
    const answered = async () => {
      const waited = await probe.look();
      longest = Math.max(longest, waited.longest);
      return waited.answered > 0;
    };
    await waitFor(answered, { describe: 'an answer to the other client' });
    expect(longest).toBeLessThan(LONGEST_WAIT_MS);
    return result;
  }

  async function pollNow(url: string): Promise<string> {
    const path = `${node.url}/sync?source=${encodeURIComponent(url)}`;
    const response = await fetch(path, { method: 'POST', headers: { authorization } });
    expect(response.status).toBe(200);
    return response.text();
  }

  it.each(Object.keys(SMALL))('posted: %s', async (name) => {
    const { type, body } = SMALL[name] as HostileDocument;
    const headers = { 'content-type': type };
    const status = await attack(async () => {
      const response = await fetch(`${node.url}/component`, { method: 'POST', headers, body });
      return response.status;
    });
    expect([400, 422]).toContain(status);
  });

  it.each(Object.keys(SMALL))('checked: %s', async (name) => {
    const body = new URLSearchParams({ url: server.url(pathOf(name)) });
    const report = await attack(async () => {
      const response = await fetch(`${node.url}/lint`, { method: 'POST', body });
      return { status: response.status, text: await response.text() };
    });
    expect(report.status, report.text).toBe(200);
  });

  it.each(Object.keys(LARGE))('in a pod: %s', async (name) => {
    const url = server.url(pathOf(name));
    await attack(() => pollNow(url));
    expect((await statusOf(node, url)).components).toBe(0);
  });

  it.each(Object.keys(OF_PEERS))('of a peer: %s', async (name) => {
    await attack(() => pollNow(server.url(`${pathOf(name)}-peer`)));
  });

  it.each(['a million triples', 'small JSON-LD nodes'])('in the source of a holder: %s', async (name) => {
    const headers = { authorization, 'content-type': 'application/json' };
    const connection = {
      configuration: {},
      state: 'CONNECTED',
      source: server.url(pathOf(name)),
      holder: 'https://alice.example/#me',
    };
    const body = JSON.stringify(connection);
    const made = await fetch(`${node.url}/connections/connection`, { method: 'POST', headers, body });
    expect(made.status).toBe(201);
    const answer = await attack(async () => {
      const path = `${node.url}/connections/resource/refresh`;
      return (await fetch(path, { method: 'POST', headers })).text();
    });
    expect(answer).toContain('"stale":true');
  });

  it('nor when those who sent it have gone: nothing is expanded for them', async () => {
    const { type, body } = SMALL['values of one property'] as HostileDocument;
    const headers = { 'content-type': type };
    const post = () =>
      new Promise<void>((resolve) => {
        const sent = request(`${node.url}/component`, { method: 'POST', headers, agent: false });
        sent.on('error', () => resolve()).on('close', () => resolve());
        sent.end(body, () => sent.destroy());
      });
    await attack(async () => {
      await Promise.all(Array.from({ length: 24 }, post));
      const started = performance.now();
      const last = await fetch(`${node.url}/component`, { method: 'POST', headers, body: '{}' });
      expect(last.status).toBe(400);
      // Expanded one after the other, they would take a minute.
      expect(performance.now() - started).toBeLessThan(10_000);
    });
  });

  it('and leaves neither threads nor memory behind', async () => {
    await waitFor(() => threads() <= idle.threads, {
      timeoutMs: 30_000,
      describe: 'the end of idle workers',
    });
    let left = 0;
    const small = async () => {
      left = (await memory()) - idle.memory;
      return left < LEFT_BEHIND;
    };
    await waitFor(small, { timeoutMs: 30_000, describe: () => `memory to be given back: ${left}` });
    await node.stop();
  });
});
