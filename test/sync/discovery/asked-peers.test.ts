import { beforeEach, expect, it } from 'vitest';
import type { Source } from '../../../src/component/source.js';
import { withoutPause } from '../../../src/lib/pace.js';
import { Network } from '../../../src/sync/discovery/network.js';
import { podsReadBy } from '../../../src/sync/peer/peer-memo.js';
import { DISCOVERY } from '../../support/paper-network.js';
import { memoryRegistry, type TestRegistry } from '../../support/registry.js';
import { VirtualClock } from '../../support/virtual-clock.js';

/** Nobody reads here. */
const readsNothing = () => Promise.reject(new Error('nothing is read')) as never;

const POD: Source = { kind: 'pod', url: 'https://pod.example/' };
const FAR: Source = { kind: 'pod', url: 'https://far.example/' };
const KEY = `pod ${FAR.url}`;
const [FIRST, SECOND]: [Source, Source] = [
  { kind: 'peer', url: 'https://z.example' },
  { kind: 'peer', url: 'https://a.example' },
];
const MINUTE = 60_000;

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
      ...{ peers: [FIRST, SECOND], pods: [POD], mode: 'registry', baseUrl: 'https://me.example' },
      ...{ discovery: DISCOVERY, network: { allowPrivate: false } },
    },
    ...{ registry, clock, pace: withoutPause, interval: 300_000, podsReadBy },
    setSources: async () => undefined,
    onDisagreement: ({ url }) => asked.push(url),
    reader: (source, trust) => ({ source, trust, read: readsNothing }),
    log: { info: () => undefined, warn: () => undefined },
  });
  await network.start();
}
/** A poll that was committed. */
async function polled(source: Source, ok: boolean, more: Record<string, unknown> = {}): Promise<void> {
  const { unreliableAt } = (await registry.source(source))?.record ?? {};
  const record = { failures: ok ? 0 : 1, unreliableAt, ...(ok ? { lastSuccess: 1 } : {}), ...more };
  await registry.commit({ source, documents: [], record });
  network.polled();
  await network.settled();
}
/** A poll of a peer that reads the far pod: was that taken, and how often has it failed? */
const reading = (peer: Source, takes: boolean, failures = 0) =>
  polled(peer, failures === 0, {
    ...{ failures, ...(failures >= 3 && { unreliableAt: clock.now() }) },
    memo: {
      feed: { cursor: 'e.1.00000000', lines: [{ of: KEY, rank: 0, count: 1, digest: 'd'.repeat(32) }] },
    },
    ...(takes ? {} : { refused: { [KEY]: [FAR.url] } }),
  });
it('a pod is read no more: the peers that told something of it are asked again, once', async () => {
  const refusing = { refused: { [`pod ${POD.url}`]: [POD.url] } };
  await polled(POD, true);
  expect(network.rulesFor(FIRST.url).read(`${POD.url}x`)).toBe(POD.url);
  await polled(FIRST, true, refusing);
  await polled(SECOND, true);
  expect(asked).toEqual([]);
  await registry.forget(POD);
  // The record of a peer whose listing cannot be read to its end goes on naming the pod.
  for (let i = 0; i < 3; i++) await polled(FIRST, true, refusing);
  expect(asked).toEqual([FIRST.url]);
});

it('a peer that keeps failing is replaced by the next one, and tried again an hour later', async () => {
  await reading(FIRST, true);
  await reading(SECOND, false);
  await reading(FIRST, true, 2);
  expect(asked).toEqual([]);
  await reading(FIRST, true, 3);
  expect(asked).toEqual([SECOND.url]);
  await reading(SECOND, true);
  expect(asked.splice(0)).toEqual([SECOND.url, FIRST.url]);
  await reading(FIRST, false);
  clock.pass(60 * MINUTE - 1);
  await network.settled();
  expect(asked).toEqual([]);
  clock.pass(1);
  await network.settled();
  expect(asked.splice(0)).toEqual([FIRST.url]);
  await reading(FIRST, true);
  expect(asked).toEqual([SECOND.url]);
});
