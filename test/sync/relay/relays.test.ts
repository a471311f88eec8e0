import { beforeEach, describe, expect, it } from 'vitest';
import { digestElement, payloadHash } from '../../../src/component/statement-digest.js';
import { HostQueues } from '../../../src/lib/fetch/host-queues.js';
import { LtHash } from '../../../src/lib/lt-hash.js';
import { withoutPause } from '../../../src/lib/pace.js';
import { inProcess } from '../../../src/lib/pool/task.js';
import { Relays } from '../../../src/sync/relay/relays.js';
import { inOrderFor } from '../../../src/sync/relay/rendezvous.js';
import type { SyncSource } from '../../../src/sync/sync-source.js';
import { DirectNetwork } from '../../support/direct-fetch.js';
import { FakeSource } from '../../support/fake-source.js';
import { parse } from '../../support/parsed-config.js';
import { pollProgress } from '../../support/poll-progress.js';
import { component, memoryRegistry, type TestRegistry } from '../../support/registry.js';
import { VirtualClock } from '../../support/virtual-clock.js';

const MINUTE = 60_000;
const POD = 'https://pod.example/';
const ORDER = inOrderFor(POD, ['https://a.example', 'https://b.example', 'https://c.example']);
const [FIRST = '', SECOND = '', SELF = ''] = ORDER;
const SEEN = 1_800_000_000_000;

let clock: VirtualClock;
let registry: TestRegistry;
let network: DirectNetwork;
let hints: string[];
let direct: FakeSource;
let relays: Relays;
let pod: SyncSource;
/** What the peers say in /feed/sources, by URL: when they have seen the pod. */
let seen: Record<string, number | undefined>;

beforeEach(async () => {
  clock = new VirtualClock(SEEN + 90 * MINUTE);
  registry = await memoryRegistry({ clock });
  network = new DirectNetwork();
  hints = [];
  seen = { [FIRST]: SEEN, [SECOND]: SEEN };
  for (const peer of [FIRST, SECOND]) {
    network.answer(peer, async () => ({ body: page(peer) }));
    await told(peer, 'a');
  }
  relays = new Relays({
    config: parse({ baseUrl: SELF, peers: [FIRST, SECOND] }),
    ...{ registry, catalog: registry.catalog, fetch: network.fetch, clock },
    ...{
      requests: new HostQueues(2),
      pool: inProcess(withoutPause),
      pace: withoutPause,
      interval: 5 * MINUTE,
    },
    hint: ({ url }) => hints.push(url),
    onRole: () => undefined,
  });
  direct = new FakeSource(POD);
  direct.trust = 'learned';
  direct.result = { documents: [], observed: { from: SEEN, until: SEEN } };
  pod = relays.of(direct);
  const documents = [{ url: `${POD}d`, components: [component('a')], record: {} }];
  await registry.commit({ source: direct.source, documents, record: { failures: 0 } });
});

/** The feed of a peer has told that the pod says this. */
function told(peer: string, name: string) {
  const lines = [[`pod ${POD}`, 0, 1, digestOf(name)]];
  const memo = { feed: { cursor: 'x.1.00000000', lines } };
  return registry.commit({
    source: { kind: 'peer', url: peer },
    documents: [],
    record: { failures: 0, memo },
  });
}

function digestOf(name: string): string {
  const hash = LtHash.empty();
  const said = component(name);
  hash.add(digestElement({ document: `${POD}d`, uri: said.uri, hash: payloadHash(said) }));
  return hash.digest();
}

function page(peer: string) {
  const observed = seen[peer];
  const line = { kind: 'pod', url: POD, rank: 0, count: 1, position: 1, digest: digestOf('a') };
  const sources = [{ ...line, ...(observed === undefined ? {} : { observed }) }];
  return { cursor: 'x.1.00000000', network: 1, sources };
}

async function poll(): Promise<void> {
  const { remember, observed } = await pod.poll(await registry.source(pod.source), pollProgress());
  await registry.commit({
    source: pod.source,
    documents: [],
    record: (record) => ({
      ...record,
      ...remember?.(record),
      ...(observed ? { observed: observed.from } : {}),
    }),
  });
}

describe('a pod that two configured peers read', () => {
  it('is left to them once this node has read it', async () => {
    await poll();
    expect([direct.polls, relays.isRelayed(pod.source)]).toEqual([1, true]);
    await poll();
    expect([direct.polls, relays.hears(pod.source)]).toEqual([1, true]);
  });

  it('is polled soon when one of them says something else, and not because of anybody else', async () => {
    await poll();
    await poll();
    await relays.polled({ kind: 'peer', url: FIRST });
    expect(hints).toEqual([]);
    await told(SECOND, 'b');
    await relays.polled({ kind: 'peer', url: 'https://learned.example' });
    await relays.polled({ kind: 'pod', url: POD });
    expect(hints).toEqual([]);
    await relays.polled({ kind: 'peer', url: SECOND });
    expect(hints).toEqual([POD]);
  });

  it('is read by this node when one of them no longer does, and polled soon to find that out', async () => {
    await poll();
    clock.pass(30 * MINUTE);
    seen[SECOND] = undefined;
    await poll();
    expect(hints).toEqual([POD]);
    expect([direct.polls, relays.isRelayed(pod.source)]).toEqual([2, false]);
  });

  it('is read by this node when one of them has vanished for long', async () => {
    await poll();
    network.answer(SECOND, async () => ({ drop: true }));
    for (let minutes = 0; minutes < 75; minutes += 25) {
      clock.pass(25 * MINUTE);
      await poll();
      expect(direct.polls).toBe(1);
    }
    clock.pass(25 * MINUTE);
    await poll();
    expect(direct.polls).toBe(2);
  });

  it('is read by this node when one of them is not followed by its feed', async () => {
    const following = { by: 'listing', since: 0, why: 'it has no feed', looked: 0 } as const;
    const record = { failures: 0, following };
    await registry.commit({ source: { kind: 'peer', url: FIRST }, documents: [], record });
    await poll();
    await poll();
    expect([direct.polls, relays.isRelayed(pod.source)]).toEqual([2, false]);
  });

  it('is polled no less often where polls are rare', async () => {
    relays = new Relays({
      config: parse({ baseUrl: SELF, peers: [FIRST, SECOND] }),
      ...{ registry, catalog: registry.catalog, fetch: network.fetch, clock },
      ...{ requests: new HostQueues(2), pool: inProcess(withoutPause), pace: withoutPause },
      ...{ interval: 60 * MINUTE, hint: () => undefined, onRole: () => undefined },
    });
    pod = relays.of(direct);
    await poll();
    await poll();
    expect([relays.isRelayed(pod.source), relays.hears(pod.source)]).toEqual([true, false]);
  });

  it('is forgotten with its source', async () => {
    await poll();
    relays.setSources([{ source: { kind: 'peer', url: POD } }]);
    expect(relays.isRelayed(pod.source)).toBe(false);
  });
});
