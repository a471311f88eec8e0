/** Everything that can go wrong in a network. */
import { listsDigest } from '../../src/component/network-list.js';
import type { Random } from '../../src/lib/clock.js';
import { between, pick, sample } from './chance.js';
import type { Kind } from './happenings.js';
import { WRITING } from './keep.js';
import { type Intermediary, networkError, type Server } from './network.js';
import { MINUTE, SECOND } from './time.js';
import type { World } from './world.js';

/** How wrong a clock may be, in ms. */
const WRONG = 10 * MINUTE;
/** How long before it takes writes a standby has heard last of what is written, in ms. */
const BEHIND = 5 * MINUTE;

/** With the machines of nodes, and what their operators do. */
const MACHINES: readonly Kind[] = [
  {
    name: 'crash',
    shows: 'the process of a node ends at any instant, and is started again later',
    begin({ nodes, time }, random) {
      const node = pick(random, nodes);
      const isWriting = random() < 0.5;
      const process = pick(random, node.processes);
      // In the middle of a write, nothing of it is stored yet; soon afterwards it is, and the process is not told.
      const later = between(random, 0, 2 * WRITING);
      if (isWriting) process.inNextWrite = () => time.after(later, () => process.crash());
      else process.crash();
      const end = () => {
        process.crash();
        return process.start();
      };
      return { what: `${node.name}${isWriting ? ' in its next write' : ''}`, end };
    },
  },
  {
    name: 'pause',
    shows: 'a process stands still at any instant for up to two minutes, and goes on where it was',
    begin({ nodes, time }, random) {
      const node = pick(random, nodes);
      const isWriting = random() < 0.75;
      const seconds = between(random, 5, 120);
      const process = pick(random, node.processes);
      let goOn: (() => void) | undefined;
      const pause = () => {
        goOn = process.pause();
        time.after(seconds * SECOND, goOn);
      };
      if (isWriting) process.inNextWrite = pause;
      else pause();
      const end = () => {
        process.inNextWrite = undefined;
        goOn?.();
      };
      return { what: `${node.name} for ${seconds} s${isWriting ? ' in its next write' : ''}`, end };
    },
  },
  {
    name: 'restore',
    shows: 'the disk of a node is replaced by an old backup',
    begin(world, random) {
      const node = pick(random, world.nodes);
      return { what: node.name, end: world.backup(node) };
    },
  },
  {
    name: 'clocks',
    shows: 'the clock of a node is wrong by up to ten minutes',
    begin({ nodes }, random) {
      const node = pick(random, nodes);
      node.clockOffset = between(random, -WRONG, WRONG);
      const end = () => {
        node.clockOffset = 0;
      };
      return { what: `${node.name} by ${node.clockOffset} ms`, end };
    },
  },
  {
    name: 'churn',
    shows: 'an operator trusts others than before, and starts the node again',
    begin({ nodes, pods, truth }, random) {
      const node = pick(random, nodes);
      const others = nodes.filter((one) => one !== node);
      node.trusted = {
        peers: swapped(node.trusted.peers, others, random),
        pods: swapped(node.trusted.pods, pods, random),
      };
      truth.operators.set(node.url, node.trusted);
      const restarted = node.restart();
      return { what: `${node.name} trusts ${JSON.stringify(node.trusted)}`, end: () => restarted };
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
    begin({ nodes, pods, network }, random) {
      const island = someHosts([...nodes, ...pods], random);
      const end = network.separate((from, to) => island.has(from) !== island.has(to));
      return { what: [...island].join(', '), end };
    },
  },
  {
    name: 'one-way',
    shows: 'some nodes get no answer from the others, who get theirs',
    begin({ nodes, network }, random) {
      const island = someHosts(nodes, random);
      const end = network.separate((from, to) => island.has(from) && !island.has(to));
      return { what: [...island].join(', '), end };
    },
  },
  {
    name: 'loss',
    shows: 'of all exchanges, some get no answer, some lose their connection, some are cut',
    begin({ network }, random) {
      const part = () => random() * 0.15;
      return { what: 'everywhere', end: network.trouble({ lost: part(), reset: part(), cut: part() }) };
    },
  },
];

function someHosts(hosts: readonly { name: string }[], random: Random): Set<string> {
  const names = hosts.map(({ name }) => name);
  return new Set(sample(random, names, between(random, 1, Math.ceil(names.length / 2))));
}

/** Something that stands before a host, and makes of its answers what it likes. */
function before(
  hosts: 'pods' | 'nodes',
  name: string,
  shows: string,
  make: (world: World, random: Random) => Intermediary,
): Kind {
  const begin = (world: World, random: Random) => {
    const host = pick<{ readonly name: string }>(random, world[hosts]);
    return { what: host.name, end: world.network.interpose(host.name, make(world, random)) };
  };
  return { name, shows, begin };
}

/** With pods and their servers, and with their authors. */
const PODS: readonly Kind[] = [
  before('pods', 'pod-slow', 'a pod answers after ten seconds to a minute', ({ time }, random) => {
    const wait = between(random, 10 * SECOND, 60 * SECOND);
    return async (request, server) => {
      await time.pass(wait);
      return server(request);
    };
  }),
  {
    name: 'pod-emptied',
    shows: 'a pod says for a while that it holds nothing',
    begin({ pods, network, truth }, random) {
      const { name, url } = pick(random, pods);
      const ends = [
        truth.silence(url),
        network.interpose(name, async (request, server) => {
          const answer = await server(request);
          if (request.method !== 'GET' || request.url.includes('/.notifications/')) return answer;
          if (request.url !== url) return new Response(null, { status: 404 });
          return new Response('<> a <http://www.w3.org/ns/ldp#Container>.\n', { headers: answer.headers });
        }),
      ];
      const end = () => {
        for (const one of ends) one();
      };
      return { what: name, end };
    },
  },
  {
    name: 'pod-flapping',
    shows: 'the server of a pod goes down and comes back, again and again',
    begin({ pods, network, time }, random) {
      const { name, server } = pick(random, pods);
      let [isDown, isOver] = [false, false];
      const turn = () => {
        if (isOver) return;
        isDown = !isDown;
        if (isDown) server.restart();
        time.after(between(random, 5 * SECOND, 90 * SECOND), turn);
      };
      turn();
      const comeBack = network.interpose(name, async (request, inner) => {
        if (isDown) throw networkError('ECONNREFUSED', name);
        return inner(request);
      });
      const end = () => {
        isOver = true;
        comeBack();
      };
      return { what: name, end };
    },
  },
  {
    name: 'pod-truncating',
    shows: 'a pod cuts half of its bodies, or more',
    begin({ pods, network }, random) {
      const { name } = pick(random, pods);
      const end = network.trouble({ lost: 0, reset: 0, cut: 0.5 + random() / 2 }, name);
      return { what: name, end };
    },
  },
  {
    name: 'recreate',
    shows: 'an author deletes a document and writes it again, about the same component or another',
    async begin({ pods }, random) {
      const pod = pick(random, pods);
      if (pod.documents.length === 0) return { what: 'nothing' };
      const document = pick(random, pod.documents);
      const uri = pod.uriOf(document);
      const again = random() < 0.5 ? uri : uri.replace(/(-again)?\.js$/, '-again.js');
      await pod.erase(document);
      return { what: document, end: () => pod.write(document, again) };
    },
  },
];

/** With peers that do not keep to the rules. */
const PEERS: readonly Kind[] = [
  before(
    'nodes',
    'wrong-digests',
    'a peer tells other digests than follow from what it says',
    () => async (request, server) => {
      const answer = await server(request);
      const falsify = (text: string) => text.replace(/"digest":"[0-9a-f]{4}/g, '"digest":"0000');
      return isFeed(request) ? withText(answer, falsify) : answer;
    },
  ),
  before(
    'nodes',
    'leaky-feed',
    'a peer leaves out of its feed what has changed, and tells the digests that follow from it',
    () => async (request, server) => {
      const answer = await server(request);
      const leak = (text: string) => JSON.stringify({ ...JSON.parse(text), changes: [] });
      // Only of what has changed: all that a source says is told whole.
      const isOfChanges = isFeed(request) && new URL(request.url).searchParams.has('since');
      return isOfChanges ? withText(answer, leak) : answer;
    },
  ),
  before(
    'nodes',
    'invented-hops',
    'a peer says that it has configured whom it has not, and others that do not exist',
    (_, random) => {
      const ghost = `https://ghost${Math.floor(random() * 1000)}.example`;
      // Nothing tells that its lists have changed, nor that they have changed back; it may even say that they are these.
      const isConsistent = random() < 0.5;
      return async (request, server) => {
        const { pathname } = new URL(request.url);
        const listAt = (path: string) => inventing(path, ghost, request, server);
        if (pathname === '/peers' || pathname === '/storage') return listAt(pathname);
        const answer = await server(request);
        if (!isConsistent || !answer.headers.has('feed-lists')) return answer;
        const entries = async (path: string) => {
          const list = await listAt(path);
          const urls = list.ok ? ((await list.json()) as string[]) : [];
          return urls.map((url) => ({ url, hops: 0, via: [] }));
        };
        const lists = { peers: await entries('/peers'), storage: await entries('/storage') };
        const headers = { ...Object.fromEntries(answer.headers), 'feed-lists': listsDigest(lists) };
        return new Response(answer.body, { status: answer.status, headers });
      };
    },
  ),
];

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

/** What may go wrong everywhere. */
export const FAULTS: readonly Kind[] = [...MACHINES, ...WIRES, ...PODS, ...PEERS];

/** What may go wrong, too, where the processes of a node share a database. */
export const DATABASE_FAULTS: readonly Kind[] = [
  {
    name: 'failover',
    shows: 'the database of a node fails, and another server takes its place that lacks the latest commits',
    begin(world, random) {
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
      return { what: `${node.name} loses ${behind} ms`, end };
    },
  },
];
