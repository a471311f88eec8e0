import { beforeEach, describe, expect, it } from 'vitest';
import { takenFrom } from '../../../src/component/provenance.js';
import { LOCAL, type Source } from '../../../src/component/source.js';
import { withoutPause } from '../../../src/lib/pace.js';
import type { Registry } from '../../../src/registry/registry.js';
import { Network } from '../../../src/sync/discovery/network.js';
import { podsReadBy } from '../../../src/sync/peer/peer-memo.js';
import type { SourceReader } from '../../../src/sync/source-reader.js';
import { DISCOVERY } from '../../support/discovered.js';
import { component, memoryRegistry, type TestRegistry } from '../../support/registry.js';
import { VirtualClock } from '../../support/virtual-time.js';
import { waitFor } from '../../support/wait-for.js';

/** Nobody reads here. */
const readsNothing = () => Promise.reject(new Error('nothing is read')) as never;

const PEER: Source = { kind: 'peer', url: 'https://peer.example' };
const POD: Source = { kind: 'pod', url: 'https://pod.example/' };
/** What of a registry the network needs, bound to it. */
function methodsOf(registry: TestRegistry): ConstructorParameters<typeof Network>[0]['registry'] {
  const { commit, forget, setNetwork, source, sources } = registry;
  return { commit, forget, setNetwork, source, sources };
}

const LEARNED_POD: Source = { kind: 'pod', url: 'https://learned.example/' };

describe('the network of a node', () => {
  let registry: TestRegistry;
  let network: Network;
  let polled: Source[];
  /** Peers that were to be asked again. */
  let asked: string[];
  let warnings: string[];
  /** What the log says of addresses that are not read. */
  let refused: object[];
  let settings: { peers: { url: string }[]; pods: { url: string }[]; mode: 'registry' | 'mirror' };

  beforeEach(async () => {
    registry = await memoryRegistry();
    [polled, asked, warnings, refused] = [[], [], [], []];
    settings = { peers: [PEER], pods: [POD], mode: 'registry' };
    await start();
  });
  const scheduler = {
    setSources: async (sources: readonly SourceReader[]) => {
      polled = sources.map(({ source }) => source);
    },
  };
  /** As at the start of a process: only what is stored is known. */
  async function start(
    store: ConstructorParameters<typeof Network>[0]['registry'] = registry,
    clock = new VirtualClock(),
    more: Partial<ConstructorParameters<typeof Network>[0]> = {},
  ): Promise<void> {
    network = new Network({
      config: {
        ...settings,
        baseUrl: 'https://me.example',
        discovery: DISCOVERY,
        network: { allowPrivate: false },
      },
      registry: store,
      pace: withoutPause,
      clock,
      interval: 300_000,
      reader: (source, trust) => ({ source, trust, read: readsNothing }),
      podsReadBy,
      setSources: (sources) => scheduler.setSources(sources),
      onDisagreement: ({ url }) => asked.push(url),
      log: { info: (fields) => refused.push(fields), warn: (_, message) => warnings.push(message) },
      ...more,
    });
    await network.start();
  }
  const entry = (url: string, hops = 0) => ({ url, hops, via: [] });

  /** A poll of the peer that was committed. */
  async function peerSays(storage: readonly string[], graphs: Record<string, string> = {}): Promise<void> {
    const introduced = { peers: [], storage: storage.map((url) => entry(url)) };
    const documents = Object.entries(graphs).map(([graph, name]) => ({
      url: takenFrom(PEER.url, graph),
      components: [component(name)],
      record: {},
    }));
    await registry.commit({
      source: PEER,
      documents,
      record: { failures: 0, lastSuccess: 1, introduced },
    });
    await told();
  }
  async function podRead(pod: Source, ...names: string[]): Promise<void> {
    const documents = names.map((name) => ({
      url: pod.url + name,
      components: [component(name)],
      record: {},
    }));
    await registry.commit({ source: pod, documents, record: { failures: 0, lastSuccess: 1 } });
    await told();
  }
  function told(): Promise<void> {
    network.polled();
    return network.settled();
  }
  const labels = () => registry.labels();

  it('logs each address that is not read once: a hundred of each reason, and of a list that is cut just that', async () => {
    const inventing = async (round: number) => {
      const storage = Array.from({ length: 60 }, (_, i) => entry(`https://far.example/${round}/${i}/`, 9));
      const cut = round === 4 ? (['peers'] as const) : [];
      const introduced = { peers: [], storage, cut };
      await registry.commit({ source: PEER, documents: [], record: { failures: 0, introduced } });
      await told();
    };
    for (const round of [0, 0]) await inventing(round);
    expect(refused).toHaveLength(50);
    const about = { kind: 'pod', via: PEER.url, reason: 'beyond-depth', count: 60 };
    expect(refused[0]).toEqual({ url: 'https://far.example/0/0/', ...about });
    expect(network.refused.refusalsAbove(['https://far.example/0/0/d'])).toHaveLength(1);
    for (const round of [1, 2, 3, 4]) await inventing(round);
    expect(refused).toHaveLength(101);
    expect(warnings).toEqual([expect.stringContaining('longer')]);
  });

  it('pauses between peers, whose pods may be many', async () => {
    settings.peers = Array.from({ length: 20 }, (_, i) => ({ url: `https://p${i}.example` }));
    const pods = Array.from({ length: 50 }, (_, i) => `pod https://pod${i}.example/`);
    let [looks, sincePause, longest] = [0, 0, 0];
    const look = (count: number) => {
      [looks, sincePause] = [looks + count, sincePause + count];
      longest = Math.max(longest, sincePause);
    };
    class Looked extends Set<string> {
      override *[Symbol.iterator]() {
        for (const one of super.values()) {
          look(1);
          yield one;
        }
        return undefined;
      }
    }
    const pace = () => () => {
      sincePause = 0;
      return undefined;
    };
    const reads = () => {
      look(pods.length);
      return new Looked(pods);
    };
    await start(registry, new VirtualClock(), { pace, podsReadBy: reads });
    await network.settled();
    expect(asked).toHaveLength(19);
    expect(looks).toBeGreaterThan(20 * pods.length * 2);
    expect(longest).toBeLessThanOrEqual(2 * pods.length);
  });

  it('knows what is configured and what a peer makes known, also after a restart, and forgets each with all it brought', async () => {
    expect(polled).toEqual([POD, PEER]);
    expect((await registry.state()).network).toEqual({ peers: [entry(PEER.url)], storage: [entry(POD.url)] });
    await peerSays([LEARNED_POD.url], { 'urn:registry:local': 'of-peer' });
    expect(polled).toEqual([POD, LEARNED_POD, PEER]);
    await podRead(LEARNED_POD, 'x');
    await podRead(POD, 'y');
    await start();
    expect(polled).toEqual([POD, LEARNED_POD, PEER]);
    expect(network.rulesFor(PEER.url).read(`${LEARNED_POD.url}x`)).toBe(LEARNED_POD.url);
    expect(await labels()).toEqual(['of-peer', 'x', 'y']);
    await peerSays([]);
    expect(polled).toEqual([POD, PEER]);
    expect(await labels()).toEqual(['of-peer', 'y']);
    expect(await registry.source(LEARNED_POD)).toBeUndefined();
    settings.peers = [];
    await start();
    expect(polled).toEqual([POD]);
    expect(await labels()).toEqual(['y']);
    expect(network.rulesFor(PEER.url).read(`${LEARNED_POD.url}x`)).toBeUndefined();
  });

  it('serves while it forgets what is configured no more, begins all the same if that fails, and stops in the middle', async () => {
    await registry.say(LEARNED_POD, [component('x')]);
    let tried = 0;
    const clock = new VirtualClock();
    const startWith = (answer: (signal: AbortSignal | undefined) => Promise<never>) => {
      const forget: Registry['forget'] = (_, signal) => {
        tried += 1;
        return answer(signal);
      };
      return start({ ...methodsOf(registry), forget }, clock);
    };
    await startWith(() => Promise.reject(new Error('no connection')));
    expect([tried, warnings.length, await labels()]).toEqual([1, 1, ['x']]);
    const starting = startWith(
      (signal) => new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason))),
    );
    await waitFor(() => tried === 2);
    clock.pass(2_999);
    expect(await Promise.race([starting, new Promise((resolve) => setImmediate(resolve, 'waits'))])).toBe(
      'waits',
    );
    clock.pass(1);
    await starting;
    await network.stop();
    expect([warnings.length, await labels()]).toEqual([1, ['x']]);
    await start();
    expect(await labels()).toEqual([]);
  });

  it('keeps what another node on the same registry learns while it looks at everything', async () => {
    let asked = 0;
    const { sources, ...others } = methodsOf(registry);
    await start({
      ...others,
      sources: async () => {
        asked += 1;
        const stored = await sources();
        if (asked === 2) await registry.say(LEARNED_POD, [component('learned')]);
        return stored;
      },
    });
    await network.settled();
    expect(asked).toBe(2);
    expect(await labels()).toEqual(['learned']);
  });

  it('asks peers again once that told something of a pod that is read no more', async () => {
    const refused: Record<string, string[]> = { [`pod ${POD.url}`]: [POD.url] };
    const said = async () => {
      const record = { failures: 0, refused };
      await registry.commit({ source: PEER, documents: [], record });
      await told();
    };
    await podRead(POD);
    expect(network.rulesFor(PEER.url).read(`${POD.url}x`)).toBe(POD.url);
    await said();
    expect(asked).toEqual([]);
    await registry.forget(POD);
    // The record of a peer whose listing cannot be read to its end goes on naming the pod.
    for (let i = 0; i < 3; i++) await said();
    expect(asked).toEqual([PEER.url]);
    // Nor is it a reason that of several pods one less is named.
    Object.assign(refused, { [`pod ${LEARNED_POD.url}`]: [LEARNED_POD.url] });
    await said();
    expect(asked).toEqual([PEER.url, PEER.url]);
    delete refused[`pod ${POD.url}`];
    await said();
    expect(asked).toHaveLength(2);
  });

  it('is worked out after polls that have changed what it follows from, and again when that failed', async () => {
    const clock = new VirtualClock();
    const { setNetwork, sources, ...others } = methodsOf(registry);
    let [looks, isFull] = [0, false];
    const counted = () => {
      looks += 1;
      return sources();
    };
    const failing: typeof setNetwork = (lists) =>
      isFull ? Promise.reject(new Error('full')) : setNetwork(lists);
    await start({ ...others, sources: counted, setNetwork: failing }, clock);
    clock.pass(5_000);
    await network.settled();
    const looksAfter = async (...poll: Parameters<Network['polled']>) => {
      looks = 0;
      network.polled(...poll);
      clock.pass(5_000);
      await new Promise((resolve) => setImmediate(resolve));
      return looks;
    };
    const lists = (url: string) => ({ peers: [], storage: [entry(url)] });
    const lines = [{ of: `pod ${POD.url}`, rank: 1, count: 1, digest: 'x' }];
    const before = {
      failures: 0,
      lastSuccess: 1,
      introduced: lists(POD.url),
      memo: { feed: { cursor: 'c', lines } },
    };
    const idle = { before, after: { ...structuredClone(before), lastSuccess: 2, failures: 1 } };
    expect(await looksAfter(idle)).toBe(0);
    for (const [one, other] of [
      [{ failures: 0 }, { failures: 0, lastSuccess: 1 }],
      [before, { ...before, introduced: lists(LEARNED_POD.url) }],
      [before, { ...before, refused: { [`pod ${POD.url}`]: [POD.url] } }],
      [before, { ...before, memo: undefined }],
      [before, { ...before, unreliableAt: 1 }],
      [{ ...before, unreliableAt: 1 }, before],
    ] as const)
      expect(await looksAfter({ before: one, after: other as typeof before })).toBe(1);
    isFull = true;
    expect(await looksAfter()).toBe(1);
    isFull = false;
    expect(await looksAfter(idle)).toBe(1);
    expect(await looksAfter(idle)).toBe(0);
  });

  it.each([
    ['https://far.example/', 'https://far.example'],
    ['https://far.example/card.ttl', 'https://far.example/card.ttl'],
  ])(
    'asks its peers again at once when the operator rejects %s, stored as %s, and when that is taken back',
    async (url, stored) => {
      await registry.commit({
        source: LOCAL,
        documents: [],
        record: (now) => ({ ...now, memo: { other: 1 } }),
      });
      for (const decision of ['reject', undefined] as const) {
        asked = [];
        await network.decide(url, decision);
        expect(asked).toEqual([PEER.url]);
        const decisions = decision ? { [stored]: decision } : {};
        expect((await registry.source(LOCAL))?.record.memo).toEqual({ other: 1, decisions });
      }
    },
  );
});
