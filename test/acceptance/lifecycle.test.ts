import { once } from 'node:events';
import { request } from 'node:http';
import { beforeAll, describe, expect, test } from 'vitest';
import { isCut } from '../support/crash-writer.js';
import { type FakeServer, fakeServer } from '../support/fake-server.js';
import { heldPort } from '../support/held-port.js';
import { type NodeProcess, prepareNode, startNode } from '../support/node/node-process.js';
import { listedUris, publish } from '../support/node/node-reader.js';
import { waitFor } from '../support/wait-for.js';

/** Enough that loading takes a moment and that a listing does not fit into the buffers of a connection. */
const COUNT = 6_000;

function components(count: number, from = 0): { uri: string; label: string }[] {
  return Array.from({ length: count }, (_, i) => {
    const number = String(from + i).padStart(6, '0');
    return {
      uri: `https://modules.example/${number}.js`,
      label: `Component ${number}`,
      description: 'x'.repeat(800),
    };
  });
}

/** Starts a node that must not come up. Gives back the one thing that it says about it. */
async function refusalOf(node: NodeProcess): Promise<string> {
  const said = node.log.length;
  await node.spawn();
  expect(await node.exit).toEqual({ code: 1, signal: null });
  const lines = [
    ...node.log.slice(said).filter(({ level }) => level === 'error' || level === 'fatal'),
    ...node.stderr.split('\n').filter(Boolean),
  ].map((line) => JSON.stringify(line));
  expect(lines).toHaveLength(1);
  expect(lines[0]).not.toMatch(/ {4}at /);
  return lines[0] ?? '';
}

/** Its pod never answers, so that a poll is always under way. */
let first: NodeProcess;
let pod: FakeServer;
beforeAll(async () => {
  pod = await fakeServer();
  pod.everything({ hang: 'answer' });
  const pods = [pod.url('/pod/')];
  first = await startNode({ config: { write: 'open', pods, sync: { schedule: '* * * * * *' } } });
  await publish(first, ...components(1));
});

describe('a start that cannot be', () => {
  test('on a data directory in use: one clear line, and the first node goes on', async () => {
    const second = await prepareNode({ config: { dataDir: first.dataDir } });
    expect(await refusalOf(second)).toMatch(/data directory .*in use/);
    expect(await listedUris(first)).toHaveLength(1);
  });

  test('on a port in use: one clear line that names it', async () => {
    const { port } = new URL(first.url);
    expect(await refusalOf(await prepareNode({ config: { listen: { port: Number(port) } } }))).toContain(
      port,
    );
  });
});

describe('a stop', () => {
  test('by SIGTERM finishes the requests in flight, takes no new ones, and exits with 0 while polls and connections hang', async () => {
    const { url } = first;
    await waitFor(() => pod.connections > 0);
    // Leaves an idle connection open, as browsers do.
    await (await fetch(`${url}/component`)).text();
    const headers = { 'content-type': 'application/json' };
    const slow = request(`${url}/component`, { method: 'POST', headers });
    const answered = once(slow, 'response');
    const body = JSON.stringify(components(1, 1));
    slow.write(body.slice(0, 20));
    await once(slow, 'socket');
    await waitFor(() => slow.socket?.bytesWritten);
    // Another answer says that the node has heard of the first request by now.
    await listedUris(first);

    first.signal('SIGTERM');
    await waitFor(async () => (await fetch(`${url}/health`).catch(isCut)) === true);
    slow.end(body.slice(20));
    const [response] = await answered;
    expect(response.statusCode).toBe(201);
    // It exits with 1 when a stop takes more than 5 s.
    expect(await first.exit).toEqual({ code: 0, signal: null });
    await first.start();
    expect(await listedUris(first)).toHaveLength(2);
  });
});

describe('a node with much data', () => {
  let port: number;
  let node: NodeProcess;
  beforeAll(async () => {
    port = await heldPort();
    node = await startNode({ config: { write: 'open', listen: { port } } });
    for (let from = 0; from < COUNT; from += 1_000) await publish(node, ...components(1_000, from));
  });

  test('stops in time though a reader of the whole listing has stalled', async () => {
    const [response] = await once(request(`${node.url}/component`).end(), 'response');
    response.pause().on('error', () => undefined);
    await node.stop();
  });

  test('stops in time while it loads', async () => {
    await node.kill();
    const said = node.log.length;
    await node.spawn();
    await waitFor(() => node.log.slice(said).some(({ msg }) => msg === 'loading'));
    await node.stop();
    expect(node.stderr).toBe('');
  });

  test('answers 503 or nothing until it can answer in full: never an empty list', async () => {
    await node.kill();
    const statuses: string[] = [];
    await node.spawn();
    const full = await waitFor(async () => {
      const [health, list] = await Promise.all(
        ['health', 'component'].map((path) => fetch(`http://127.0.0.1:${port}/${path}`)),
      );
      statuses.push(`${health?.status} ${list?.status}`);
      return list?.status === 200 ? ((await list.json()) as unknown[]) : undefined;
    });
    expect(full).toHaveLength(COUNT);
    expect(statuses).toContain('503 503');
    expect(statuses.filter((pair) => !['503 503', '503 200', '200 200'].includes(pair))).toEqual([]);
  });
});
