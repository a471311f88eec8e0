import { listsDigest } from '../../../src/component/network-list.js';
import { takenFrom } from '../../../src/component/provenance.js';
import { LOCAL } from '../../../src/component/source.js';
import type { DocumentChange } from '../../../src/core/document-change.js';
import type { SourceChange } from '../../../src/registry/source-change.js';
import { Violation } from '../invariants/violation.js';
import type { VirtualServer, WireAnswer, WireRequest } from '../network/wire.js';
import type { SimulatedNode } from '../nodes/simulated-node.js';
import { pick } from '../time/substream.js';
import type { HappeningKind } from '../world/happening.js';
import type { SimulatedPod, World } from '../world/world.js';

/** The label of what nobody but a liar says. */
const FORGED = 'forged';

/** What goes wrong when a peer does not keep to the rules. */
export const PEER_FAULTS: readonly HappeningKind[] = [
  {
    name: 'foreign-graphs',
    shows: 'a peer tells lies about a pod and about another node, with digests that fit',
    async begin({ world }, random) {
      const liar = pick(random, world.nodes);
      const victim = pick(random, world.nodes);
      const pod = pick(random, world.pods);
      const backup = liar.isRunning && victim !== liar && world.beginsToLie(liar);
      if (!backup) return { what: `${liar.name} finds nothing to lie about` };
      const record: SourceChange['record'] = (before) => before;
      await liar.forge([
        { source: { kind: 'pod', url: pod.url }, documents: aboutPod(pod), record },
        { source: { kind: 'peer', url: victim.url }, documents: aboutNode(victim), record },
      ]);
      return {
        what: `${liar.name} lies about ${pod.name} and ${victim.name}`,
        end: async () => {
          refuseForgeries(world, liar, pod);
          await world.restore(liar, backup);
        },
      };
    },
  },
  {
    name: 'wrong-digests',
    shows: 'a peer tells other digests than follow from what it says',
    begin({ world }, random) {
      const liar = pick(random, world.nodes);
      const end = world.network.interpose(liar.name, async (request, server) =>
        withText(await server.answer(request), isFeed(request), (text) =>
          text.replace(/"digest":"[0-9a-f]{4}/g, '"digest":"0000'),
        ),
      );
      return { what: `${liar.name} tells wrong digests`, end };
    },
  },
  {
    name: 'leaky-feed',
    shows: 'a peer leaves out of its feed what has changed, and tells the digests that follow from it',
    begin({ world }, random) {
      const liar = pick(random, world.nodes);
      const end = world.network.interpose(liar.name, async (request, server) =>
        withText(await server.answer(request), isOfChanges(request), withoutChanges),
      );
      return { what: `${liar.name} leaves changes out of its feed`, end };
    },
  },
  {
    name: 'invented-hops',
    shows: 'a peer says that it has configured whom it has not, and others that do not exist',
    begin({ world }, random) {
      const liar = pick(random, world.nodes);
      const ghost = `https://ghost${Math.floor(random() * 1000)}.example`;
      // Nothing tells that its lists have changed, nor that they have changed back; it may even say that they are these.
      const isConsistent = random() < 0.5;
      const end = world.network.interpose(liar.name, async (request, server) => {
        if (/^\/(peers|storage)(\?|$)/.test(request.target)) return inventing(ghost, request, server);
        const answer = await server.answer(request);
        if (!isConsistent || answer.headers['feed-lists'] === undefined) return answer;
        const lists = {
          peers: await inventedList('/peers', ghost, request, server),
          storage: await inventedList('/storage', ghost, request, server),
        };
        return { ...answer, headers: { ...answer.headers, 'feed-lists': listsDigest(lists) } };
      });
      return { what: `${liar.name} invents hops, and ${ghost}`, end };
    },
  },
];

function aboutPod({ author }: SimulatedPod): DocumentChange[] {
  return author.documents.map((url) => ({ url, record: {}, components: [forged(author.uriOf(url))] }));
}

function aboutNode({ url, name }: SimulatedNode): DocumentChange[] {
  const components = [forged(`https://modules.example/${FORGED}/${name}.js`)];
  return [{ url: takenFrom(url, LOCAL.url), record: {}, components }];
}

function forged(uri: string) {
  return { uri, label: FORGED, author: [], tag: [], shapes: [] };
}

/** Nobody has believed the liar who reads the pod itself; and nobody at all what it says another node has said. */
function refuseForgeries(world: World, liar: SimulatedNode, pod: SimulatedPod): void {
  for (const node of world.nodes) {
    // Another liar holds what it has forged itself, perhaps in the name of this one.
    if (world.lies(node)) continue;
    const hasRead = node.stored.sources.get(`pod ${pod.url}`)?.record.lastSuccess !== undefined;
    for (const { document: url, label } of node.stored.saidBy({ kind: 'peer', url: liar.url })) {
      const isRelayed = url.includes(encodeURIComponent('urn:registry:peer:'));
      if (label === FORGED && (hasRead || isRelayed)) {
        throw new Violation('forged', world.elapsed, `${node.name} believes ${liar.name} about ${url}`);
      }
    }
  }
}

function isFeed({ target, headers }: WireRequest): boolean {
  return target.startsWith('/feed') && headers.accept === 'application/json';
}

/** Is only what has changed asked for? All that a source says is told whole. */
function isOfChanges(request: WireRequest): boolean {
  return isFeed(request) && /^\/feed\?(.*&)?since=/.test(request.target);
}

function withoutChanges(text: string): string {
  const page = JSON.parse(text) as Record<string, unknown>;
  return JSON.stringify({ ...page, changes: [] });
}

/** A list without hops is one of addresses that the node has configured: all that it knows, whatever is asked for. */
async function inventing(ghost: string, request: WireRequest, server: VirtualServer): Promise<WireAnswer> {
  const target = request.target.replace(/\?.*$/s, '');
  const plain = await server.answer({ ...request, target, headers: { accept: 'application/json' } });
  return withText(plain, true, (text) => JSON.stringify([...(JSON.parse(text) as string[]), ghost]));
}

async function inventedList(target: string, ghost: string, request: WireRequest, server: VirtualServer) {
  const { body, status } = await inventing(ghost, { ...request, method: 'GET', target }, server);
  if (status !== 200 || !(body instanceof Uint8Array)) return [];
  const urls = JSON.parse(Buffer.from(body).toString()) as string[];
  return urls.map((url) => ({ url, hops: 0, via: [] }));
}

function withText(answer: WireAnswer, isMeant: boolean, change: (text: string) => string): WireAnswer {
  if (!isMeant || answer.status !== 200 || !(answer.body instanceof Uint8Array)) return answer;
  const { 'content-length': _, ...headers } = answer.headers;
  return { ...answer, headers, body: Buffer.from(change(Buffer.from(answer.body).toString())) };
}
