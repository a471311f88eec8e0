/** Everything that can go wrong in a network. */
import type { Random } from '../../src/lib/clock.js';
import { between, pick, sample } from './chance.js';
import { type Begin, type Begun, write } from './happenings.js';
import { WRITING } from './keep.js';
import { type Intermediary, isEndless, networkError, type Server } from './network.js';
import type { SimulatedProcess } from './node.js';
import { MINUTE, SECOND } from './time.js';
import type { World } from './world.js';

/** How wrong a clock may be, in ms. */
const WRONG = 10 * MINUTE;

/** The faults by their names on the command line, and what `--help` says of them. */
export const FAULTS = {
  crash: 'the process of a node ends at any instant, and is started again later',
  pause: 'a process stands still at any instant for up to two minutes, and goes on where it was',
  restore: 'an old backup takes the place of what a node has stored; in a database, while processes run',
  clocks: 'the clock of a node is wrong by up to ten minutes',
  churn: 'an operator trusts others than before, and starts the node again',
  partition: 'some nodes and pods cannot reach the others; lines in use die without a word',
  'one-way': 'some nodes get no answer from the others, who get theirs',
  loss: 'of all exchanges, some get no answer, some lose their connection, some are cut',
  'pod-slow': 'a pod answers after ten seconds to a minute',
  'pod-emptied': 'a pod says for a while that it holds nothing',
  'pod-flapping': 'the server of a pod goes down and comes back, again and again',
  'pod-truncating': 'a pod cuts half of its bodies, or more',
  recreate: 'an author deletes a document and writes it again, about the same component or another',
  'wrong-digests': 'a peer tells other digests than follow from what it says',
  'leaky-feed': 'a peer leaves out of its feed what has changed, and tells the digests that follow from it',
  'invented-hops':
    'somebody answers for a peer, in another epoch, and lists whom it has not configured, and others that do not exist',
} as const;

export const BEGIN: Readonly<Record<keyof typeof FAULTS, Begin>> = {
  crash({ nodes, time }, random) {
    const node = pick(random, nodes);
    const isWriting = random() < 0.5;
    const process = pick(random, node.processes);
    // In the middle of a write, nothing of it is stored yet; soon afterwards it is, and the process is not told.
    const later = between(random, 0, 2 * WRITING);
    const crash = () => (isWriting ? time.after(later, () => process.crash()) : process.crash());
    const end = () => {
      process.crash();
      return process.start();
    };
    return { what: node.name + whileWriting(isWriting, process, crash), end };
  },

  pause({ nodes, time }, random) {
    const node = pick(random, nodes);
    const isWriting = random() < 0.75;
    const seconds = between(random, 5, 120);
    const process = pick(random, node.processes);
    let goOn: (() => void) | undefined;
    const pause = () => {
      goOn = process.pause();
      time.after(seconds * SECOND, goOn);
    };
    const end = () => {
      process.inNextWrite = undefined;
      goOn?.();
    };
    return { what: `${node.name} for ${seconds} s${whileWriting(isWriting, process, pause)}`, end };
  },

  restore(world, random) {
    const node = pick(random, world.nodes);
    const [process, ...others] = node.processes;
    const putBack = node.backup();
    const end = async () => {
      if (others.length === 0) process?.crash();
      putBack();
      await world.repost(node);
      await node.start();
    };
    return { what: node.name, end };
  },

  clocks({ nodes }, random) {
    const node = pick(random, nodes);
    node.clockOffset = between(random, -WRONG, WRONG);
    const end = () => {
      node.clockOffset = 0;
    };
    return { what: `${node.name} by ${node.clockOffset} ms`, end };
  },

  churn({ nodes, pods, truth }, random) {
    const node = pick(random, nodes);
    const { peers = [], pods: trustedPods = [] } = truth.operators.get(node.url) ?? {};
    const others = nodes.filter((one) => one !== node);
    const trusted = { peers: swapped(peers, others, random), pods: swapped(trustedPods, pods, random) };
    truth.operators.set(node.url, trusted);
    const restarted = node.stop().then(() => node.start());
    return { what: `${node.name} trusts ${JSON.stringify(trusted)}`, end: () => restarted };
  },

  partition({ nodes, pods, network }, random) {
    const island = someHosts([...nodes, ...pods], random);
    const end = network.separate((from, to) => island.has(from) !== island.has(to));
    return { what: [...island].join(', '), end };
  },

  'one-way'({ nodes, network }, random) {
    const island = someHosts(nodes, random);
    const end = network.separate((from, to) => island.has(from) && !island.has(to));
    return { what: [...island].join(', '), end };
  },

  loss(world, random) {
    const [lost, reset, cut] = [random() * 0.15, random() * 0.15, random() * 0.15];
    const hosts = [...world.nodes, ...world.pods].map(({ name }) => name);
    return { ...before(world, hosts, trouble(random, { lost, reset, cut })), what: 'everywhere' };
  },

  'pod-slow'(world, random) {
    const { name } = pick(random, world.pods);
    const wait = between(random, 10 * SECOND, 60 * SECOND);
    return before(world, [name], (request, server) => world.time.sleep(wait).then(() => server(request)));
  },

  'pod-emptied'(world, random) {
    const { name, url } = pick(random, world.pods);
    const speak = world.truth.silence(url);
    const { what, end } = before(world, [name], async (request, server) => {
      const answer = await server(request);
      if (request.method !== 'GET' || request.url.includes('/.notifications/')) return answer;
      if (request.url !== url) return new Response(null, { status: 404 });
      return new Response('<> a <http://www.w3.org/ns/ldp#Container>.\n', { headers: answer.headers });
    });
    return { what, end: () => [speak(), end()] };
  },

  'pod-flapping'(world, random) {
    const { name, server } = pick(random, world.pods);
    let isDown = false;
    const { what, end } = before(world, [name], async (request, inner) => {
      if (isDown) throw networkError('ECONNREFUSED', name);
      return inner(request);
    });
    let stop: () => void;
    const turn = () => {
      isDown = !isDown;
      if (isDown) server.restart();
      stop = world.time.after(between(random, 5 * SECOND, 90 * SECOND), turn);
    };
    turn();
    return { what, end: () => [stop(), end()] };
  },

  'pod-truncating'(world, random) {
    const { name } = pick(random, world.pods);
    return before(world, [name], trouble(random, { cut: 0.5 + random() / 2 }));
  },

  async recreate({ pods }, random) {
    const pod = pick(random, pods);
    if (pod.documents.length === 0) return write(pod, random);
    const document = pick(random, pod.documents);
    const uri = pod.uriOf(document);
    const again = random() < 0.5 ? uri : uri.replace(/(-again)?\.js$/, '-again.js');
    await pod.erase(document);
    return { what: document, end: () => pod.write(document, again) };
  },

  'wrong-digests'(world, random) {
    return before(world, [pick(random, world.nodes).name], async (request, server) => {
      const falsify = (text: string) => text.replace(/"digest":"[0-9a-f]{4}/g, '"digest":"0000');
      return isFeed(request) ? withText(await server(request), falsify) : server(request);
    });
  },

  'leaky-feed'(world, random) {
    return before(world, [pick(random, world.nodes).name], async (request, server) => {
      const leak = (text: string) => JSON.stringify({ ...JSON.parse(text), changes: [] });
      // Only of what has changed: all that a source says is told whole.
      const isOfChanges = isFeed(request) && new URL(request.url).searchParams.has('since');
      return isOfChanges ? withText(await server(request), leak) : server(request);
    });
  },

  'invented-hops'(world, random) {
    const { name } = pick(random, world.nodes);
    const ghost = `https://ghost${Math.floor(random() * 1000)}.example`;
    return before(world, [name], async (request, server) => {
      const isList = ['/peers', '/storage'].includes(new URL(request.url).pathname);
      if (!isList && !isFeed(request)) return server(request);
      const answer = await asAnother(request, server);
      return isList ? withText(answer, (text) => JSON.stringify([...JSON.parse(text), ghost])) : answer;
    });
  },
};

/** Has something happen to a process in its next write, or at once; says so for the log. */
function whileWriting(isWriting: boolean, process: SimulatedProcess, happens: () => void): string {
  if (isWriting) process.inNextWrite = happens;
  else happens();
  return isWriting ? ' in its next write' : '';
}

/** Without one of the entries, and with another one, in another order. */
function swapped(entries: readonly string[], others: readonly { url: string }[], random: Random): string[] {
  const kept = sample(random, entries, Math.max(1, entries.length - 1));
  return [...new Set([...kept, ...sample(random, others, 1).map(({ url }) => url)])];
}

function someHosts(hosts: readonly { name: string }[], random: Random): Set<string> {
  const names = hosts.map(({ name }) => name);
  return new Set(sample(random, names, between(random, 1, Math.ceil(names.length / 2))));
}

/** Something stands before hosts until the end, and makes of their answers what it likes. */
function before({ network }: World, hosts: readonly string[], intermediary: Intermediary): Required<Begun> {
  const ends = hosts.map((host) => network.interpose(host, intermediary));
  return { what: hosts.join(', '), end: () => ends.map((end) => end()) };
}

/** Of all exchanges, these parts get no answer, lose their connection, or half of the body of their answer. */
function trouble(random: Random, { lost = 0, reset = 0, cut = 0 }): Intermediary {
  return async (request, server) => {
    const drawn = random();
    if (drawn < lost) return new Promise<never>(() => undefined);
    if (drawn < lost + reset) throw networkError('ECONNRESET', new URL(request.url).hostname);
    const answer = await server(request);
    if (drawn >= lost + reset + cut || !answer.body || isEndless(request.url, answer)) return answer;
    const body = new Uint8Array(await answer.arrayBuffer());
    const headers = new Headers(answer.headers);
    headers.set('content-length', `${body.length}`);
    return new Response(body.subarray(0, body.length >> 1), { status: answer.status, headers });
  };
}

function isFeed({ url, headers }: Request): boolean {
  return new URL(url).pathname.startsWith('/feed') && headers.get('accept') === 'application/json';
}

/**
 * Asks for JSON, and answers in another epoch: as when somebody else answers under the name of a node, its cursor moves when that
 * begins, and when it ends. Nobody would read again what has changed and moves no cursor. A list in JSON says nothing of hops.
 */
async function asAnother({ url }: Request, server: Server): Promise<Response> {
  const other = (epoch: string) => [...epoch].reverse().join('');
  const asked = url.replace(/(?<=[?&]since=)\w+/, (epoch) => other(epoch));
  const answer = await server(new Request(asked, { headers: { accept: 'application/json' } }));
  const [epoch = ''] = answer.headers.get('feed-cursor')?.split('.') ?? [];
  if (epoch === '') return answer;
  const lie = (text: string) => text.replaceAll(`${epoch}.`, `${other(epoch)}.`);
  const headers = [...answer.headers].map(([name, value]): [string, string] => [name, lie(value)]);
  return withText(new Response(answer.body, { status: answer.status, headers }), lie);
}

async function withText(answer: Response, change: (text: string) => string): Promise<Response> {
  if (answer.status !== 200) return answer;
  const headers = new Headers(answer.headers);
  headers.delete('content-length');
  return new Response(change(await answer.text()), { headers });
}
