import { beforeEach, describe, expect, it } from 'vitest';
import { precedenceOf } from '../../../src/component/precedence.js';
import { HostQueues } from '../../../src/lib/fetch/host-queues.js';
import { withoutPause } from '../../../src/lib/pace.js';
import { inProcess } from '../../../src/lib/pool/task.js';
import { createPeerRequest } from '../../../src/sync/peer/peer-request.js';
import { readRelay } from '../../../src/sync/relay/relay-reading.js';
import { DirectNetwork } from '../../support/direct-fetch.js';
import { FeedServer, type WirePage } from '../../support/feed-server.js';
import { pollProgress } from '../../support/poll-progress.js';
import { component } from '../../support/registry.js';
import { RestartableRegistry } from '../../support/restartable-registry.js';
import { VirtualClock } from '../../support/virtual-clock.js';

const PEER = 'https://peer.example';
const POD = { kind: 'pod', url: 'https://pod.example/' } as const;
const SEEN = 1_700_000_000_000;

let network: DirectNetwork;
let peer: FeedServer;
/** Digests that have been told of. */
let told: (string | undefined)[];
beforeEach(async () => {
  const clock = new VirtualClock();
  const store = new RestartableRegistry(clock, precedenceOf({ pods: [], peers: [] }));
  await store.start();
  network = new DirectNetwork();
  told = [];
  peer = new FeedServer(PEER, () => store.registry.catalog);
  network.answer(PEER, (request) => peer.answer(request));
  const documents = ['a', 'b', 'c'].map((name) => ({
    ...{ url: POD.url + name, components: [component(name)], record: {} },
  }));
  await store.registry.commit({ source: POD, documents, record: () => ({ failures: 0 }) });
  peer.tamper = seenAt(SEEN);
});

/** The peer says that it has read the pod at this time. */
const seenAt = (observed: number | undefined, more: Partial<NonNullable<WirePage['source']>> = {}) =>
  function tamper(page: WirePage): WirePage {
    const { source } = page;
    return source ? { ...page, source: { ...source, ...(observed ? { observed } : {}), ...more } } : page;
  };

function read(notBefore = 0, maxDocuments = 10) {
  const clock = new VirtualClock();
  const access = { fetch: network.fetch, trust: 'configured', clock, requests: new HostQueues(2) } as const;
  const progress = pollProgress();
  return readRelay({
    ...{ peer: PEER, pod: POD.url, notBefore, maxDocuments, progress },
    request: createPeerRequest(access),
    parsing: { pool: inProcess(withoutPause), lane: 'configured', signal: progress.signal },
    breathe: withoutPause(),
    onLine: (digest) => told.push(digest),
  });
}

describe('what a peer has read of a pod', () => {
  it('comes with the time at which it was read, in as many pages as it takes', async () => {
    peer.pageSize = 1;
    const reading = await read();
    expect(reading).toMatchObject({ kind: 'read', observed: SEEN });
    const documents = reading.kind === 'read' ? reading.documents : new Map();
    expect([...documents.keys()]).toEqual(['a', 'b', 'c'].map((name) => POD.url + name));
    expect(network.exchanges.length).toBe(3);
  });

  it('is not read on when it is older than what is known', async () => {
    peer.pageSize = 1;
    expect(await read(SEEN + 1)).toEqual({ kind: 'older' });
    expect(told).toEqual([expect.stringMatching(/^[0-9a-f]{32}$/)]);
    expect(network.exchanges.length).toBe(1);
    expect(await read(SEEN)).toMatchObject({ kind: 'read' });
  });

  it('is of no use where the peer does not say when: it is of an earlier release, or has it from others', async () => {
    peer.tamper = (page) => page;
    expect(await read()).toEqual({ kind: 'unread' });
  });

  it('is nothing where the peer has nothing', async () => {
    network.answer(PEER, async () => ({ status: 404 }));
    expect(await read()).toEqual({ kind: 'unread' });
    expect(told).toEqual([undefined]);
  });

  it.each<[string, (page: WirePage) => WirePage, RegExp]>([
    ['another digest', seenAt(SEEN, { digest: '0'.repeat(32) }), /not what its digest tells/],
    [
      'a document that does not lie in the pod',
      (page) => ({
        ...seenAt(SEEN)(page),
        changes: (page.changes ?? []).map((one) => ({ ...one, graph: 'https://other.example/a' })),
      }),
      /does not belong to the pod/,
    ],
    [
      'another source',
      (page) => ({
        ...seenAt(SEEN)(page),
        changes: (page.changes ?? []).map((one) => ({
          ...one,
          source: { ...one.source, url: 'https://o.example/' },
        })),
      }),
      /tells of something else/,
    ],
  ])('is not taken with %s', async (_, tamper, message) => {
    peer.tamper = tamper;
    expect(await read()).toEqual({ kind: 'failed', message: expect.stringMatching(message) });
  });

  it('is not taken when it has more documents than are read of a pod', async () => {
    expect(await read(0, 2)).toEqual({ kind: 'failed', message: 'it has more than 2 documents' });
  });

  it('cannot be had from a peer that is gone', async () => {
    network.answer(PEER, async () => ({ drop: true }));
    expect(await read()).toMatchObject({ kind: 'failed' });
  });
});
