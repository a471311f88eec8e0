import { describe, expect, test } from 'vitest';
import { cleanup } from '../support/cleanup.js';
import { type FakeServer, fakeServer } from '../support/fake-server.js';
import { Gate } from '../support/gate.js';
import { fakePeer, simple } from '../support/peer/fake-peer.js';
import { waitFor } from '../support/wait-for.js';
import { type NetworkNode, networkNodes } from './adapters/network-node.js';

async function server(): Promise<FakeServer> {
  const started = await fakeServer();
  cleanup(() => started.close());
  return started;
}

async function node(): Promise<NetworkNode> {
  const [one] = (await networkNodes(1)) as [NetworkNode];
  return one;
}

const EMPTY = { body: '[]', headers: { 'content-type': 'application/json' } };

/** Lets requests of a node wait for each other. What the node wants to send besides, it does while it answers. */
function gateFor(expected: number, polling: NetworkNode): Gate {
  return new Gate(expected, async () => {
    for (let answers = 0; answers < 3; answers++) await (await fetch(`${polling.url}/health`)).text();
  });
}

describe('a node is polite to its peers', () => {
  test('two requests at once for one host, whatever number of peers and pods are there', async () => {
    const host = await server();
    const places = Array.from({ length: 6 }, (_, i) => host.url(`/node${i}`));
    const polling = await node();
    const gate = gateFor(2, polling);
    host.everything(async () => {
      await gate.pass();
      return EMPTY;
    });
    await polling.start({ peers: places, pods: places.map((url) => `${url}/pod/`) });
    await polling.sync();
    expect(host.requests.length).toBeGreaterThan(18);
    expect(gate.most).toBe(2);
  });

  test('what an introducer names of one host is asked for one at a time, and after 60 requests once a second', async () => {
    const [introducer, victim] = [await fakePeer(), await server()];
    const times: number[] = [];
    let [now, most] = [0, 0];
    victim.everything(async () => {
      times.push(performance.now());
      most = Math.max(most, ++now);
      await (await fetch(`${polling.url}/health`)).text();
      now -= 1;
      return { status: 404 };
    });
    introducer.peers = Array.from({ length: 20 }, (_, i) => victim.url(`/node${i}`));
    introducer.storage = Array.from({ length: 200 }, (_, i) => victim.url(`/pod${i}/`));
    const polling = await node();
    await polling.start({ peers: [introducer.url] });
    const began = performance.now();
    await polling.sync(introducer.url);
    const all = polling.sync().catch(() => undefined);
    await waitFor(() => times.length >= 64);
    await polling.stop();
    await all;
    expect(most).toBe(1);
    for (const [i, time] of times.slice(60).entries()) expect(time - began).toBeGreaterThan(i * 1000 - 100);
  });

  test('no more polls at once than sync.concurrency, over all hosts', async () => {
    const peers = await Promise.all(Array.from({ length: 6 }, server));
    const polling = await node();
    const gate = gateFor(3, polling);
    for (const peer of peers) {
      peer.everything(async () => {
        await gate.pass();
        return EMPTY;
      });
    }
    await polling.start({ peers: peers.map(({ origin }) => origin), sync: { concurrency: 3 } });
    await polling.sync();
    expect(gate.most).toBe(3);
  });

  test('one poll of a peer at a time: who asks meanwhile waits for its end, and shares the next', async () => {
    const peer = await fakePeer();
    peer.says(simple('a'));
    const polling = await node();
    await polling.start({ peers: [peer.url] });
    await polling.sync();
    peer.seen();
    const reports = await Promise.all([polling.sync(), polling.sync(peer.url), polling.sync()]);
    const poll = ['/peers', '/storage', '/component?graphs=all'];
    const seen = peer.seen();
    // One poll for all of them, or two when the first had begun before the others asked; never two side by side.
    expect(seen).toEqual(seen.length === poll.length ? poll : [...poll, ...poll]);
    expect(reports.flat().map(({ ok }) => ok)).toEqual([true, true, true]);
  });

  test('every request says who asks', async () => {
    const peer = await fakePeer();
    const polling = await node();
    await polling.start({ peers: [peer.url] });
    await polling.sync();
    for (const { headers } of peer.server.requests) {
      expect(headers['user-agent']).toMatch(/^component-registry-node\/\d+\.\d+\.\d+/);
      expect(headers['user-agent']).toContain(polling.url);
    }
  });

  test.each([429, 503])(
    '%i with Retry-After: it comes back when it was asked to, and asks for nothing else meanwhile',
    async (status) => {
      const peer = await server();
      peer.everything({ status, headers: { 'retry-after': '1800' } });
      const polling = await node();
      await polling.start({ peers: [peer.origin] });
      const asked = Date.now();
      await polling.sync();
      const answered = Date.now();
      const { nextAttempt } = await polling.source(peer.origin);
      const waits = Date.parse(nextAttempt ?? '') - 1_800_000;
      expect(waits).toBeGreaterThan(asked - 1_000);
      expect(waits).toBeLessThan(answered + 1_000);
      if (status === 429) expect(new Set(peer.requests.map(({ url }) => url))).toEqual(new Set(['/feed']));
    },
  );

  test('waits longer after the second failure in a row, and not for ever', async () => {
    const peer = await server();
    peer.everything({ status: 502 });
    const polling = await node();
    const minute = 60_000;
    await polling.start({ peers: [peer.origin], sync: { schedule: '*/20 * * * *' } });
    const waits: number[] = [];
    for (let i = 0; i < 4; i++) {
      await polling.sync();
      const { nextAttempt } = await polling.source(peer.origin);
      waits.push(Date.parse(nextAttempt ?? '') - Date.now());
    }
    // A wait that doubles, of which a random half is waited, up to twice the interval of the schedule.
    const [first = 0, ...later] = waits;
    expect(first).toBeGreaterThan(9 * minute);
    for (const wait of later) {
      expect(wait).toBeGreaterThan(19 * minute);
      expect(wait).toBeLessThanOrEqual(40 * minute);
    }
  });

  test('stops in the middle of a poll, and leaves nothing open', async () => {
    const peer = await server();
    peer.everything({ hang: 'answer' });
    const polling = await node();
    await polling.start({ peers: [peer.origin] });
    await waitFor(() => peer.requests.length > 0);
    const began = performance.now();
    await polling.stop();
    // The peer is given up after half a minute.
    expect(performance.now() - began).toBeLessThan(20_000);
    await waitFor(() => peer.connections === 0);
  });
});
