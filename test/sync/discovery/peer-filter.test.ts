import { beforeEach, describe, expect, it } from 'vitest';
import { takenFrom } from '../../../src/component/provenance.js';
import type { Source } from '../../../src/component/source.js';
import { withoutPause } from '../../../src/lib/pace.js';
import { Network } from '../../../src/sync/discovery/network.js';
import { podsReadBy } from '../../../src/sync/peer/peer-memo.js';
import { DISCOVERY } from '../../support/paper-network.js';
import { component, memoryRegistry, type TestRegistry } from '../../support/registry.js';
import { VirtualClock } from '../../support/virtual-clock.js';

const PEERS: Source[] = ['c', 'a', 'b'].map((name) => ({ kind: 'peer', url: `https://${name}.example` }));
const [FIRST, SECOND, THIRD] = PEERS as [Source, Source, Source];
const POD: Source = { kind: 'pod', url: 'https://far.example/' };
const KEY = `pod ${POD.url}`;

describe('a pod that this node does not read is taken from two of the peers that do', () => {
  let registry: TestRegistry;
  let network: Network;
  /** Peers that were to be asked again. */
  let asked: string[];
  let peers: Source[];
  let pods: Source[];

  beforeEach(async () => {
    registry = await memoryRegistry();
    peers = PEERS;
    pods = [];
    await start();
  });
  /** As at the start of a process: only what is stored is known. */
  async function start(mode: 'registry' | 'mirror' = 'registry'): Promise<void> {
    asked = [];
    network = new Network({
      config: {
        ...{ peers, pods, mode, baseUrl: 'https://me.example' },
        ...{ discovery: DISCOVERY, network: { allowPrivate: false } },
      },
      ...{ registry, clock: new VirtualClock(), pace: withoutPause, interval: 300_000, podsReadBy },
      onWanting: ({ url }) => asked.push(url),
      reader: (source, trust) => ({ source, trust, poll: async () => ({ documents: [] }) }),
      log: { debug: () => undefined, info: () => undefined, warn: () => undefined },
    });
    await network.start({ setSources: async () => undefined });
  }
  /** A poll of a peer that was committed: what it reads, whether that was taken, and how often it has failed. */
  async function polled(peer: Source, { reads = true, takes = true, failures = 0 } = {}): Promise<void> {
    const line = [KEY, 0, 1, 'd'.repeat(32)];
    const url = takenFrom(peer.url, `${POD.url}doc`);
    const memo = { feed: { cursor: 'e.1.00000000', lines: reads ? [line] : [] } };
    await registry.commit({
      source: peer,
      documents: reads && takes ? [{ url, components: [component('far')], record: { of: KEY } }] : [],
      record: { failures, memo, ...(takes ? {} : { refused: { [KEY]: [POD.url] }, skipped: [POD.url] }) },
    });
    network.polled({ source: peer, ok: failures === 0 });
    await network.settled();
  }
  async function holders(): Promise<string[]> {
    const stored = await Promise.all(PEERS.map((peer) => registry.source(peer)));
    return stored.flatMap((one) => (one && one.documents.size > 0 ? [one.source.url] : []));
  }

  it('which win over the others: what came from those is dropped, whoever was polled first', async () => {
    await polled(THIRD);
    await polled(SECOND);
    expect(await holders()).toEqual([SECOND.url, THIRD.url]);
    await polled(FIRST);
    expect(await holders()).toEqual([FIRST.url, SECOND.url]);
    expect((await registry.source(THIRD))?.record).toMatchObject({ refused: { [KEY]: [POD.url] } });
    expect(asked).toEqual([]);
    expect(network.rulesFor(THIRD.url).isFromOthers?.(KEY)).toBe(true);
    expect(network.rulesFor(SECOND.url).isFromOthers?.(KEY)).toBe(false);
  });

  it('and the next one is asked when one of them does not read it any more', async () => {
    for (const peer of [FIRST, SECOND]) await polled(peer);
    await polled(THIRD, { takes: false });
    expect(asked).toEqual([]);
    await polled(FIRST, { reads: false });
    expect(asked).toEqual([THIRD.url]);
  });

  it('or has failed three times in a row; what it said stays, and the next is dropped when it is back', async () => {
    for (const peer of [FIRST, SECOND]) await polled(peer);
    await polled(THIRD, { takes: false });
    await polled(FIRST, { failures: 2 });
    expect(asked).toEqual([]);
    await polled(FIRST, { failures: 3 });
    expect(asked).toEqual([THIRD.url]);
    await polled(THIRD);
    expect(await holders()).toEqual(PEERS.map(({ url }) => url));
    await polled(FIRST);
    expect(await holders()).toEqual([FIRST.url, SECOND.url]);
  });

  it('or is not a peer any more, also when that happens between two starts', async () => {
    for (const peer of [FIRST, SECOND]) await polled(peer);
    await polled(THIRD, { takes: false });
    await start();
    expect(network.rulesFor(THIRD.url).isFromOthers?.(KEY)).toBe(true);
    peers = [SECOND, THIRD];
    await start();
    expect(network.rulesFor(THIRD.url).isFromOthers?.(KEY)).toBe(false);
  });

  it('except in a mirror, which takes everything', async () => {
    await start('mirror');
    for (const peer of PEERS) await polled(peer);
    expect(await holders()).toEqual(PEERS.map(({ url }) => url));
  });

  it('goes with bounded commits where it is very much and read here from now on', async () => {
    const documents = Array.from({ length: 3 }, (_, i) => ({
      url: takenFrom(FIRST.url, `${POD.url}doc${i}`),
      components: Array.from({ length: 900 }, (_, j) => component(`far-${i}-${j}`)),
      record: { of: KEY },
    }));
    await registry.commit({ source: FIRST, documents, record: { failures: 0 } });
    const sizes: number[] = [];
    registry.catalog.watch(({ components }) => sizes.push(components));
    await registry.commit({ source: POD, documents: [], record: { failures: 0, lastSuccess: 1 } });
    pods = [POD];
    await start();
    // Watchers may be told of the last state again.
    expect([...new Set(sizes)]).toEqual([2_700, 900, 0]);
  });
});
