/** Everything that can go wrong in a network. */
import { listsDigest } from '../../src/component/network-list.js';
import { takenFrom } from '../../src/component/provenance.js';
import { LOCAL } from '../../src/component/source.js';
import type { Random } from '../../src/lib/clock.js';
import type { SourceChange } from '../../src/registry/source-change.js';
import { between, pick, sample } from './chance.js';
import { erase, type Kind, write } from './happenings.js';
import { WRITING } from './keep.js';
import type { Intermediary, Server } from './network.js';
import type { SimulatedNode } from './node.js';
import { Violation } from './rules.js';
import { MINUTE, SECOND } from './time.js';
import type { SimulatedPod, World } from './world.js';

/** How wrong a clock may be, in ms. */
const WRONG = 10 * MINUTE;
/** How long before it takes writes a standby has heard last of what is written, in ms. */
const BEHIND = 5 * MINUTE;
/** The label of what nobody but a liar says. */
const FORGED = 'forged';

/** With the machines of nodes, and what their operators do. */
const MACHINES: readonly Kind[] = [
  {
    name: 'crash',
    shows: 'the process of a node ends at any instant, and is started again later',
    begin({ world }, random) {
      const node = pick(random, world.nodes);
      const isWriting = random() < 0.5;
      const process = pick(random, node.processes);
      // In the middle of a write, nothing of it is stored yet; soon afterwards it is, and the process is not told.
      const later = between(random, 0, 2 * WRITING);
      if (isWriting) process.inNextWrite(() => world.time.after(later, () => process.crash()));
      else process.crash();
      const end = () => {
        process.crash();
        return process.start();
      };
      return { what: `${node.name} crashes${isWriting ? ' in its next write' : ''}`, end };
    },
  },
  {
    name: 'pause',
    shows: 'a process stands still at any instant for up to two minutes, and goes on where it was',
    begin({ world }, random) {
      const node = pick(random, world.nodes);
      const isWriting = random() < 0.75;
      const seconds = between(random, 5, 120);
      const process = pick(random, node.processes);
      let goOn: (() => void) | undefined;
      const pause = () => {
        goOn = process.pause();
        world.time.after(seconds * SECOND, goOn);
      };
      if (isWriting) process.inNextWrite(pause);
      else pause();
      const end = () => {
        process.inNextWrite(undefined);
        goOn?.();
      };
      return { what: `${node.name} pauses for ${seconds} s${isWriting ? ' in its next write' : ''}`, end };
    },
  },
  {
    name: 'restore',
    shows: 'the disk of a node is replaced by an old backup',
    begin({ world }, random) {
      const node = pick(random, world.nodes);
      const backup = world.backupOf(node);
      const what = `a backup of ${node.name} is made, and restored at the end`;
      return { what, end: () => world.restore(node, backup) };
    },
  },
  {
    name: 'failover',
    shows: 'the database of a node fails, and another server takes its place that lacks the latest commits',
    isOfDatabase: true,
    begin({ world }, random) {
      const node = pick(random, world.nodes);
      const behind = between(random, 0, BEHIND);
      const standby = node.storage.backup();
      let isOver = false;
      const end = async () => {
        if (isOver) return;
        isOver = true;
        node.storage.failOver(standby);
        await world.repost(node);
      };
      world.time.after(behind, end);
      return { what: `the database of ${node.name} is going to lose ${behind} ms`, end };
    },
  },
  {
    name: 'clocks',
    shows: 'the clock of a node is wrong by up to ten minutes',
    begin({ world }, random) {
      const node = pick(random, world.nodes);
      node.clockOffset = between(random, -WRONG, WRONG);
      const end = () => {
        node.clockOffset = 0;
      };
      return { what: `the clock of ${node.name} is wrong by ${node.clockOffset} ms`, end };
    },
  },
  {
    name: 'churn',
    shows: 'an operator trusts others than before, and starts the node again',
    begin({ world }, random) {
      const node = pick(random, world.nodes);
      const { peers, pods } = node.trusted;
      const others = world.nodes.filter((one) => one !== node);
      node.trusted = { peers: swapped(peers, others, random), pods: swapped(pods, world.pods, random) };
      world.truth.operators.set(node.url, node.trusted);
      const restarted = node.restart();
      return { what: `${node.name} trusts others: ${JSON.stringify(node.trusted)}`, end: () => restarted };
    },
  },
];

/** Without one of the entries, and with another one, in another order. */
function swapped(entries: readonly string[], others: readonly { url: string }[], random: Random): string[] {
  const kept = sample(random, entries, Math.max(1, entries.length - 1));
  return [...new Set([...kept, ...sample(random, others, 1).map(({ url }) => url)])];
}

/** Between the machines. */
const WIRES: readonly Kind[] = [
  {
    name: 'partition',
    shows: 'some nodes and pods cannot reach the others; lines between them die without a word',
    begin({ world: { nodes, pods, network } }, random) {
      const island = someHosts([...nodes, ...pods], random);
      const end = network.separate((from, to) => island.has(from) !== island.has(to));
      return { what: `${[...island].join(', ')} are cut off`, end };
    },
  },
  {
    name: 'one-way',
    shows: 'some nodes get no answer from the others, who get theirs',
    begin({ world: { nodes, network } }, random) {
      const island = someHosts(nodes, random);
      const end = network.separate((from, to) => island.has(from) && !island.has(to));
      return { what: `${[...island].join(', ')} get no answers`, end };
    },
  },
  {
    name: 'half-open',
    shows: 'all lines to and from a host are dead, neither side is told, and new ones work',
    begin({ world: { nodes, pods, network } }, random) {
      const { name } = pick(random, [...nodes, ...pods]);
      network.silence(name);
      return { what: `lines of ${name} are dead` };
    },
  },
  {
    name: 'loss',
    shows: 'of all exchanges, some get no answer, some lose their connection, some are cut',
    begin({ world }, random) {
      const part = () => random() * 0.15;
      const end = world.network.trouble({ lost: part(), reset: part(), cut: part() });
      return { what: 'the network loses and cuts', end };
    },
  },
];

function someHosts(hosts: readonly { name: string }[], random: Random): Set<string> {
  const names = hosts.map(({ name }) => name);
  return new Set(sample(random, names, between(random, 1, Math.ceil(names.length / 2))));
}

/** A fault of a pod that something brings about which stands before its server. */
function inPod(
  texts: Pick<Kind, 'name' | 'shows'> & { readonly what: string },
  make: (parts: {
    readonly world: World;
    readonly pod: SimulatedPod;
    readonly random: Random;
  }) => Intermediary,
): Kind {
  const { what, ...named } = texts;
  return {
    ...named,
    begin({ world }, random) {
      const pod = pick(random, world.pods);
      return {
        what: `${pod.name} ${what}`,
        end: world.network.interpose(pod.name, make({ world, pod, random })),
      };
    },
  };
}

/** A fault of a pod whose server goes down and comes back, again and again. `next`: ms until it does, when it is down or up. */
function flapping(
  texts: Pick<Kind, 'name' | 'shows'> & { readonly what: string },
  next: (isDown: boolean, random: Random) => number,
): Kind {
  const { what, ...named } = texts;
  return {
    ...named,
    begin({ world }, random) {
      const pod = pick(random, world.pods);
      let bringUp: (() => void) | undefined;
      let isOver = false;
      const turn = () => {
        if (isOver) return;
        bringUp?.();
        bringUp = bringUp ? undefined : takeDown(world, pod);
        world.time.after(next(bringUp !== undefined, random), turn);
      };
      turn();
      const end = () => {
        isOver = true;
        bringUp?.();
      };
      return { what: `${pod.name} ${what}`, end };
    },
  };
}

function takeDown({ network }: World, { name, server }: SimulatedPod): () => void {
  network.detach(name);
  server.restart();
  return () => network.attach(name, server.answer);
}

/** A listing without members. */
const EMPTY = '<> a <http://www.w3.org/ns/ldp#Container>, <http://www.w3.org/ns/ldp#BasicContainer>.\n';

/** With pods and their servers, and with their authors. */
const PODS: readonly Kind[] = [
  {
    name: 'pod-down',
    shows: 'the server of a pod is down',
    begin({ world }, random) {
      const pod = pick(random, world.pods);
      return { what: `${pod.name} is down`, end: takeDown(world, pod) };
    },
  },
  inPod(
    { name: 'pod-slow', shows: 'a pod answers after half a minute or more', what: 'takes its time' },
    ({ world, random }) => {
      const wait = between(random, 10 * SECOND, 60 * SECOND);
      return async (request, server) => {
        await world.time.pass(wait);
        return server(request);
      };
    },
  ),
  {
    name: 'pod-emptied',
    shows: 'a pod says for a while that it holds nothing',
    begin({ world }, random) {
      const pod = pick(random, world.pods);
      const leave = world.network.interpose(pod.name, async (request, server) => {
        const answer = await server(request);
        if (request.method !== 'GET' || request.url.includes('/.notifications/')) return answer;
        const isContainer = request.url === pod.url;
        return isContainer
          ? new Response(EMPTY, { headers: answer.headers })
          : new Response(null, { status: 404 });
      });
      const speaks = world.truth.silence(pod.url);
      const end = () => {
        leave();
        speaks();
      };
      return { what: `${pod.name} says that it holds nothing`, end };
    },
  },
  flapping(
    {
      name: 'pod-flapping',
      shows: 'the server of a pod goes down and comes back, again and again',
      what: 'flaps',
    },
    (_, random) => between(random, 5 * SECOND, 90 * SECOND),
  ),
  flapping(
    {
      name: 'pod-away',
      shows: 'the server of a pod is gone for a minute in every ten',
      what: 'is gone for a minute in every ten',
    },
    (isDown) => (isDown ? MINUTE : 9 * MINUTE),
  ),
  inPod(
    {
      name: 'pod-throttling',
      shows: 'a pod answers most requests with 429',
      what: 'asks for fewer requests',
    },
    ({ random }) =>
      async (request, server) => {
        if (random() < 0.2) return server(request);
        return new Response(null, { status: 429, headers: { 'retry-after': '30' } });
      },
  ),
  {
    name: 'resolves-elsewhere',
    shows: 'the name of a pod leads to a private address, where somebody else answers 404',
    begin({ world: { network, pods } }, random) {
      const { name } = pick(random, pods);
      const back = network.readdress(name, '10.9.9.9');
      const leave = network.interpose(name, async () => new Response(null, { status: 404 }));
      const end = () => {
        back();
        leave();
      };
      return { what: `${name} leads elsewhere`, end };
    },
  },
  {
    name: 'pod-truncating',
    shows: 'a pod cuts half of its bodies, or more',
    begin({ world }, random) {
      const { name } = pick(random, world.pods);
      const end = world.network.trouble({ lost: 0, reset: 0, cut: 0.5 + random() / 2 }, name);
      return { what: `${name} cuts its bodies`, end };
    },
  },
  {
    name: 'recreate',
    shows: 'an author deletes documents and writes them again, the same or others',
    async begin(stage, random) {
      const pod = pick(random, stage.world.pods);
      if (pod.documents.length === 0) return { what: `${pod.name} is empty` };
      const document = pick(random, pod.documents);
      const uri = pod.uriOf(document);
      const again = random() < 0.5 ? uri : uri.replace(/(-again)?\.js$/, '-again.js');
      await erase(stage, pod, document);
      const what = `${document} is deleted, and written again at the end`;
      return { what, end: () => write(stage, pod, document, again) };
    },
  },
];

/** A fault of a node whose answers to others are not what it has said. */
function inPeer(
  texts: Pick<Kind, 'name' | 'shows'> & { readonly what: string },
  make: (random: Random) => Intermediary,
): Kind {
  const { what, ...named } = texts;
  return {
    ...named,
    begin({ world }, random) {
      const { name } = pick(random, world.nodes);
      return { what: `${name} ${what}`, end: world.network.interpose(name, make(random)) };
    },
  };
}

/** With peers that do not keep to the rules. */
const PEERS: readonly Kind[] = [
  {
    name: 'foreign-graphs',
    shows: 'a peer tells lies about a pod and about another node, with digests that fit',
    async begin({ world }, random) {
      const liar = pick(random, world.nodes);
      const victim = pick(random, world.nodes);
      const pod = pick(random, world.pods);
      const backup = liar.isRunning && victim !== liar ? world.beginsToLie(liar) : undefined;
      if (!backup) return { what: `${liar.name} finds nothing to lie about` };
      const record: SourceChange['record'] = (before) => before;
      const lies = pod.documents.map((url) => [url, pod.uriOf(url)] as const);
      const ofNode = [
        takenFrom(victim.url, LOCAL.url),
        `https://modules.example/forged/${victim.name}.js`,
      ] as const;
      await liar.forge([
        { source: { kind: 'pod', url: pod.url }, documents: lies.map(forged), record },
        { source: { kind: 'peer', url: victim.url }, documents: [forged(ofNode)], record },
      ]);
      const end = async () => {
        await refuseForgeries(world, liar, pod);
        await world.restore(liar, backup);
      };
      return { what: `${liar.name} lies about ${pod.name} and ${victim.name}`, end };
    },
  },
  inPeer(
    {
      name: 'wrong-digests',
      shows: 'a peer tells other digests than follow from what it says',
      what: 'tells wrong digests',
    },
    () => async (request, server) => {
      const answer = await server(request);
      if (!isFeed(request)) return answer;
      return withText(answer, (text) => text.replace(/"digest":"[0-9a-f]{4}/g, '"digest":"0000'));
    },
  ),
  inPeer(
    {
      name: 'leaky-feed',
      shows: 'a peer leaves out of its feed what has changed, and tells the digests that follow from it',
      what: 'leaves changes out of its feed',
    },
    () => async (request, server) => {
      const answer = await server(request);
      // Only of what has changed: all that a source says is told whole.
      if (!isFeed(request) || !new URL(request.url).searchParams.has('since')) return answer;
      return withText(answer, (text) => JSON.stringify({ ...JSON.parse(text), changes: [] }));
    },
  ),
  inPeer(
    {
      name: 'invented-hops',
      shows: 'a peer says that it has configured whom it has not, and others that do not exist',
      what: 'invents hops, and a ghost',
    },
    (random) => {
      const ghost = `https://ghost${Math.floor(random() * 1000)}.example`;
      // Nothing tells that its lists have changed, nor that they have changed back; it may even say that they are these.
      const isConsistent = random() < 0.5;
      return async (request, server) => {
        const { pathname } = new URL(request.url);
        if (pathname === '/peers' || pathname === '/storage')
          return inventing(pathname, ghost, request, server);
        const answer = await server(request);
        if (!isConsistent || !answer.headers.has('feed-lists')) return answer;
        const listOf = async (path: string) => {
          const list = await inventing(path, ghost, request, server);
          const urls = list.ok ? ((await list.json()) as string[]) : [];
          return urls.map((url) => ({ url, hops: 0, via: [] }));
        };
        const digest = listsDigest({ peers: await listOf('/peers'), storage: await listOf('/storage') });
        const headers = new Headers(answer.headers);
        headers.set('feed-lists', digest);
        return new Response(answer.body, { status: answer.status, headers });
      };
    },
  ),
];

function forged([url, uri]: readonly [url: string, uri: string]): SourceChange['documents'][number] {
  return { url, record: {}, components: [{ uri, label: FORGED, author: [], tag: [], shapes: [] }] };
}

/** Nobody has believed the liar who reads the pod itself; and nobody at all what it says another node has said. */
async function refuseForgeries(world: World, liar: SimulatedNode, pod: SimulatedPod): Promise<void> {
  for (const node of world.nodes) {
    // Another liar holds what it has forged itself, perhaps in the name of this one.
    if (world.lies(node)) continue;
    const { sources } = await node.storage.stored();
    const hasRead = sources.get(`pod ${pod.url}`)?.record.lastSuccess !== undefined;
    for (const { document, label } of await node.storage.saidBy({ kind: 'peer', url: liar.url })) {
      const isRelayed = document.includes(encodeURIComponent('urn:registry:peer:'));
      if (label === FORGED && (hasRead || isRelayed))
        throw new Violation(
          'forged',
          world.time.elapsed,
          `${node.name} believes ${liar.name} about ${document}`,
        );
    }
  }
}

function isFeed({ url, headers }: Request): boolean {
  return new URL(url).pathname.startsWith('/feed') && headers.get('accept') === 'application/json';
}

/** A list without hops is one of addresses that the node has configured: all that it knows, whatever is asked for. */
async function inventing(path: string, ghost: string, { url }: Request, server: Server): Promise<Response> {
  const asked = new Request(new URL(path, url), { headers: { accept: 'application/json' } });
  return withText(await server(asked), (text) => JSON.stringify([...JSON.parse(text), ghost]));
}

async function withText(answer: Response, change: (text: string) => string): Promise<Response> {
  if (answer.status !== 200) return answer;
  const headers = new Headers(answer.headers);
  headers.delete('content-length');
  return new Response(change(await answer.text()), { headers });
}

export const FAULTS: readonly Kind[] = [...MACHINES, ...WIRES, ...PODS, ...PEERS];
