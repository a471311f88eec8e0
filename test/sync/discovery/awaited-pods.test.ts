import { beforeEach, describe, expect, it } from 'vitest';
import type { Source } from '../../../src/component/source.js';
import { withoutPause } from '../../../src/lib/pace.js';
import { Network } from '../../../src/sync/discovery/network.js';
import { DISCOVERY } from '../../support/paper-network.js';
import { memoryRegistry, type TestRegistry } from '../../support/registry.js';
import { VirtualClock } from '../../support/virtual-clock.js';

const POD: Source = { kind: 'pod', url: 'https://pod.example/' };
const LEARNED: Source = { kind: 'pod', url: 'https://learned.example/' };
const PEER: Source = { kind: 'peer', url: 'https://peer.example' };
const OTHER: Source = { kind: 'peer', url: 'https://other.example' };
const MINUTE = 60_000;

describe('pods that a node is about to read', () => {
  let registry: TestRegistry;
  let clock: VirtualClock;
  let network: Network;
  /** Peers that were to be asked again. */
  let asked: string[];

  beforeEach(async () => {
    registry = await memoryRegistry();
    clock = new VirtualClock();
    await start();
  });
  /** As at the start of a process: only what is stored is known. */
  async function start(): Promise<void> {
    asked = [];
    network = new Network({
      config: {
        ...{ peers: [PEER, OTHER], pods: [POD], mode: 'registry', baseUrl: 'https://me.example' },
        ...{ discovery: DISCOVERY, network: { allowPrivate: false } },
      },
      ...{ registry, clock, pace: withoutPause, interval: 300_000 },
      onWanting: ({ url }) => asked.push(url),
      reader: (source, trust) => ({ source, trust, poll: async () => ({ documents: [] }) }),
      log: { debug: () => undefined, info: () => undefined, warn: () => undefined },
    });
    await network.start({ setSources: async () => undefined });
  }
  /** A poll that was committed. */
  async function polled(source: Source, ok: boolean, more: Record<string, unknown> = {}): Promise<void> {
    const record = { failures: ok ? 0 : 1, ...(ok ? { lastSuccess: 1 } : {}), ...more };
    await registry.commit({ source, documents: [], record });
    network.polled({ source, ok });
    await network.settled();
  }
  const introducing = (...pods: Source[]) => ({
    introduced: { peers: [], storage: pods.map(({ url }) => ({ url, hops: 0, via: [] })) },
  });
  const awaited = () =>
    [POD, LEARNED].map(({ url }) => network.rulesFor(PEER.url).awaited?.(`${url}x`) !== undefined);

  it('are those that are configured, and those that peers make known', async () => {
    expect(awaited()).toEqual([true, false]);
    await polled(PEER, true, introducing(LEARNED));
    expect(awaited()).toEqual([true, true]);
    await polled(PEER, true, introducing());
    expect(awaited()).toEqual([true, false]);
  });

  it('are read, and then no peer is asked for them', async () => {
    await polled(PEER, true, { skipped: [POD.url] });
    await polled(POD, true);
    expect(awaited()).toEqual([false, false]);
    expect(network.rulesFor(PEER.url).read(`${POD.url}x`)).toBe(POD.url);
    expect(asked).toEqual([]);
  });

  it('could not be read: the peers that told something of them are asked again, once', async () => {
    await polled(PEER, true, { skipped: [POD.url] });
    await polled(OTHER, true, { skipped: [] });
    await polled(POD, false);
    expect(awaited()).toEqual([false, false]);
    expect(network.rulesFor(PEER.url).read(`${POD.url}x`)).toBeUndefined();
    expect(asked).toEqual([PEER.url]);
    await polled(PEER, true, { skipped: [] });
    await polled(POD, false);
    expect(asked).toEqual([PEER.url]);
  });

  it('could not be read while a peer was polled, which is asked again when that poll has ended', async () => {
    await polled(POD, false);
    expect(asked).toEqual([]);
    await polled(PEER, true, { skipped: [POD.url] });
    expect(asked).toEqual([PEER.url]);
    await polled(POD, true);
    await polled(PEER, true, { skipped: [POD.url] });
    expect(asked).toEqual([PEER.url]);
  });

  it('could not be read: a peer of which the same is skipped again is not asked without an end', async () => {
    await polled(PEER, true, { skipped: [POD.url] });
    await polled(POD, false);
    for (let i = 0; i < 3; i += 1) await polled(PEER, true, { skipped: [POD.url] });
    expect(asked).toEqual([PEER.url]);
  });

  it('are not waited for longer than three minutes', async () => {
    clock.pass(2 * MINUTE);
    await polled(PEER, true, introducing(LEARNED));
    clock.pass(MINUTE - 1);
    expect(awaited()).toEqual([true, true]);
    clock.pass(1);
    expect(awaited()).toEqual([false, true]);
    clock.pass(2 * MINUTE);
    expect(awaited()).toEqual([false, false]);
    await polled(PEER, true, { skipped: [POD.url] });
    await polled(POD, false);
    expect(asked).toEqual([PEER.url]);
  });

  it('are not those that were tried before the node started, or are not read any more', async () => {
    await polled(PEER, true, { ...introducing(LEARNED), skipped: [LEARNED.url] });
    await polled(LEARNED, false);
    await start();
    expect(awaited()).toEqual([true, false]);
    await polled(PEER, true, introducing());
    expect(asked).toEqual([]);
  });
});
