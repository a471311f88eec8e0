import { describe, expect, test } from 'vitest';
import { AttackedNode } from '../support/attacked-node.js';
import { cleanup } from '../support/cleanup.js';
import { type FakeServer, fakeServer } from '../support/fake-server.js';
import { type NodeProcess, startNode } from '../support/node/node-process.js';
import { listedUris } from '../support/node/node-reader.js';
import { type FakePeer, fakePeer } from '../support/peer/fake-peer.js';
import { FakePod, turtle } from '../support/pod/fake-pod.js';
import { inTorture, rounds } from '../support/torture.js';
import { waitFor } from '../support/wait-for.js';
import type { SourceSummary } from './adapters/network-node.js';

const VOC = 'http://semcom.digita.ai/voc#';
const TURTLE = { 'content-type': 'text/turtle' };
/** What a node keeps of all learned sources together: in torture, what it keeps by default. */
const MOST_COMPONENTS = inTorture ? 30_000 : 3_000;
const EVERY_SECOND = '* * * * * *';
const LDP = 'http://www.w3.org/ns/ldp#';
/** In torture, the size of body that a node accepts by default; else enough for more components than it keeps. */
const BYTES = inTorture ? 10_000_000 : 300_000;
const ROUNDS = rounds({ short: 1, full: 4 });
const DOCUMENTS = inTorture ? 60 : 2;
/** Of a pod that is read slowly: it would take hours, or minutes in `npm test`. */
const MEMBERS = inTorture ? 9_000 : 300;
const SILENT = rounds({ short: 24, full: 256 });
const SLOW = 8 * ROUNDS;
/** Polls go on after the attack, and what is kept of the pods stays in memory. */
const ONE_POLL = { rounds: 1, goesOn: true, overIdleMb: 700 };
const SMALL_MACHINE = { NODE_OPTIONS: '--max-old-space-size=300' };

async function server(): Promise<FakeServer> {
  const made = await fakeServer();
  cleanup(() => made.close());
  return made;
}

/** A pod whose documents are made when they are asked for, each of them large. */
async function heavyPod(documents: number, componentOf: (id: string) => string): Promise<string> {
  const pod = await server();
  pod.everything(({ url }) => {
    const [, document] = /^\/pod\/(\d+)$/.exec(url) ?? [];
    const parts: string[] = [];
    if (document === undefined) parts.push(listingOf(documents));
    else {
      for (let length = 0, i = 0; length < BYTES - 20_000; i++) {
        const part = componentOf(`${document}-${i}`);
        parts.push(part);
        length += part.length + 1;
      }
    }
    return { headers: TURTLE, body: parts.join('\n') };
  });
  return pod.url('/pod/');
}

/** A container of so many documents. */
function listingOf(documents: number): string {
  const members = Array.from({ length: documents }, (_, i) => `<> <${LDP}contains> <${i}>.`);
  return [`<> a <${LDP}Container>.`, ...members].join('\n');
}

const small = (id: string) => `<https://heavy.example/${id}.js> a <${VOC}component>; <${VOC}label> "${id}".`;
const large = (id: string) => {
  const tags = Array.from({ length: 64 }, (_, i) => `"${id} ${i} ${'t'.repeat(200)}"`).join(', ');
  return `<https://heavy.example/${id}.js> a <${VOC}component>; <${VOC}label> "${id}"; <${VOC}description> "${'d'.repeat(16_000)}"; <${VOC}tag> ${tags}.`;
};

async function goodPod(): Promise<FakePod> {
  const pod = new FakePod(await server());
  pod.put('/pod/x.ttl', turtle('good'));
  return pod;
}

/** When the good pod is edited, the node shows that, schedule and all, before a single pod that never answers is given up. */
async function showsAnEdit(node: NodeProcess, good: FakePod, name: string): Promise<void> {
  good.put('/pod/x.ttl', turtle(name));
  await waitFor(async () => (await listedUris(node)).includes(`https://c.example/${name}.js`), {
    timeoutMs: 25_000,
    describe: `the edit ${name}`,
  });
}

async function sources(node: NodeProcess): Promise<SourceSummary[]> {
  return (await node.getJson<{ sources: SourceSummary[] }>('/status')).sources;
}

async function startWith(
  peer: FakePeer,
  pods: readonly string[],
  sync: object,
  env = {},
): Promise<NodeProcess> {
  return startNode({
    config: {
      peers: [peer.url],
      pods,
      network: { allowPrivate: true },
      sync: { schedule: EVERY_SECOND, ...sync },
    },
    env,
  });
}

describe(`a learned pod with ${DOCUMENTS} documents of ${BYTES / 1e6} MB`, () => {
  test.each([['small', small] as const, ...(inTorture ? [['large', large] as const] : [])])(
    'of %s components is kept up to the bounds, and the node goes on',
    async (size, componentOf) => {
      const peer = await fakePeer();
      const heavy = await heavyPod(DOCUMENTS, componentOf);
      const good = await goodPod();
      const node = await startWith(
        peer,
        [good.server.url('/pod/')],
        { maxLearnedComponents: MOST_COMPONENTS },
        SMALL_MACHINE,
      );
      const attacked = await AttackedNode.of(node);
      const read = async () =>
        (await sources(node)).find(({ url, lastSuccess }) => url === heavy && lastSuccess !== undefined);
      const describe = () => JSON.stringify(node.log.slice(-3)) + node.stderr.slice(-900);
      const status = await attacked.by(
        `a learned pod of ${DOCUMENTS} documents of ${size} components, heap of 300 MB`,
        () => {
          peer.storage = [heavy];
          return waitFor(read, { timeoutMs: 240_000, describe });
        },
        ONE_POLL,
      );
      expect(status).toMatchObject({
        state: 'limited',
        notice: expect.stringContaining('sync.maxLearnedComponents'),
      });
      expect(status?.components).toBeGreaterThan(0);
      expect(status?.components).toBeLessThanOrEqual(MOST_COMPONENTS);
      await showsAnEdit(node, good, 'edited');
      await node.stop();
    },
  );
});

describe('learned pods that take their time', () => {
  test(`${SILENT} that never answer delay no edit of a configured pod`, async () => {
    const silent = await Promise.all(Array.from({ length: SILENT }, server));
    for (const pod of silent) pod.everything({ hang: 'answer' });
    await expectEdits(`${SILENT} learned pods that never answer`, silent, 0);
  });

  test(`${SLOW} that answer slowly, for hours, delay neither an edit nor a stop`, async () => {
    const slow = await Promise.all(Array.from({ length: SLOW }, server));
    for (const pod of slow) {
      pod.everything(({ url }) =>
        url === '/pod/'
          ? { headers: TURTLE, body: listingOf(MEMBERS) }
          : { delayMs: 3_000, headers: TURTLE, body: small(url.slice(5)) },
      );
    }
    await expectEdits(`${SLOW} learned pods that answer slowly`, slow, 1);
  });

  /** Edits of a configured pod are seen while four of the others have been asked more often than this. */
  async function expectEdits(attack: string, others: readonly FakeServer[], asked: number): Promise<void> {
    const peer = await fakePeer();
    const good = await goodPod();
    const node = await startWith(peer, [good.server.url('/pod/')], {});
    const attacked = await AttackedNode.of(node);
    await attacked.by(
      attack,
      async () => {
        peer.storage = others.map((pod) => pod.url('/pod/'));
        const areAsked = () => others.filter((pod) => pod.requests.length > asked).length >= 4;
        await waitFor(areAsked);
        await showsAnEdit(node, good, 'first');
        await showsAnEdit(node, good, 'second');
      },
      ONE_POLL,
    );
    await node.stop();
  }
});
