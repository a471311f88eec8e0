/** Everything in a simulated network: its time, its wires, its nodes and pods, and what is really so. */
import { LOCAL, sameSource } from '../../src/component/source.js';
import { postJson } from '../../test/support/node/post-json.js';
import { createPodServer, type PodServer } from '../../test/support/pod/modelled-pod.js';
import { between, sample, substream } from './chance.js';
import { storedIn } from './keep.js';
import { VirtualNetwork } from './network.js';
import { SimulatedNode } from './node.js';
import { NetworkTime } from './time.js';
import { Truth } from './truth.js';

/** How a network is made. */
export interface WorldOptions {
  readonly nodes: number;
  readonly pods: number;
  /** In each pod; each has a document of its own. */
  readonly components: number;
  /** Peers that each operator has configured. */
  readonly degree: number;
  /** Of each node. Where there are several, they share a database. */
  readonly processes: number;
  readonly seed: number;
  /** Further keys of the configuration of every node, by section. */
  readonly config: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** Where the modules of all components are. */
const MODULES = 'https://modules.example/';
/** One pod in so many has a name that leads to a private address. */
const PRIVATE_EVERY = 7;
/** One pod in so many is configured by a second operator. */
const SHARED_EVERY = 3;
/** The one node in so many to which something was posted. */
const POSTED_EVERY = 3;
/** The first documents of every other pod of so many describe one component. */
const CONTESTED_AMONG = 4;
const VOCABULARY = 'http://semcom.digita.ai/voc#';

export class World {
  readonly time = new NetworkTime();
  readonly truth = new Truth(() => this.time.elapsed);
  readonly network: VirtualNetwork;
  readonly nodes: readonly SimulatedNode[];
  readonly pods: readonly SimulatedPod[];

  constructor(readonly options: WorldOptions) {
    const network = new VirtualNetwork(this.time, substream(options.seed, 'network'));
    this.network = network;
    this.pods = Array.from({ length: options.pods }, (_, place) => new SimulatedPod(place, this));
    this.nodes = Array.from({ length: options.nodes }, (_, place) => {
      const node = new SimulatedNode(`node${place}.example`, this);
      network.addHost(node.name, addressAt(45, place), node.balancer);
      return node;
    });
    this.#trust();
  }

  /** Writes what is in the pods before anybody looks. */
  async furnish(): Promise<void> {
    for (const [place, pod] of this.pods.entries()) {
      for (let i = 0; i < this.options.components; i++) {
        const isContested = place % 2 === 0 && i === 0;
        const contested = `${MODULES}contested/${Math.floor(place / CONTESTED_AMONG)}.js`;
        await pod.write(`${pod.url}${i}.ttl`, isContested ? contested : undefined);
      }
    }
  }

  /** Posts something of its own to some of the nodes, which have to run. */
  async postFirst(node: SimulatedNode): Promise<void> {
    const place = this.nodes.indexOf(node);
    if (place % POSTED_EVERY !== 0) return;
    // Every other node describes a component that pods describe, too: whose description is served follows from trust.
    const name = place % 2 === 0 ? 'contested/0' : `posted/${place}`;
    await this.post(node, `${MODULES}${name}.js`, `posted to ${place}`);
  }

  /**
   * Posts a component to a node, or takes it back when it has no label. Resolves with false when the node does not answer, or
   * cannot yet.
   */
  async post(node: SimulatedNode, uri: string, label: string | undefined): Promise<boolean> {
    const { restored } = node;
    const answer = await (label === undefined
      ? node.ask(`/c/${encodeURIComponent(uri)}`, { method: 'DELETE' })
      : node.ask('/component', postJson({ uri, label })));
    if (answer && !answer.ok && answer.status !== 503)
      throw new Error(`${node.name} answers ${answer.status} to a change of ${uri}`);
    const isDone = answer?.ok === true && node.restored === restored;
    if (!isDone) await this.repost(node);
    else if (label === undefined) this.truth.unsay(node.url, uri);
    else this.truth.say(node.url, uri, { uri, label });
    return isDone;
  }

  /** What is stored counts: of a post during which a process ended, nobody was told what has become. */
  async repost({ url, storage }: SimulatedNode): Promise<void> {
    const posted = (await storedIn(storage)).filter(({ source }) => sameSource(source, LOCAL));
    this.truth.repost(url, posted);
  }

  /** Whom each operator trusts: a ring, so that everybody can hear of everybody, with more links at random; and each pod has one. */
  #trust(): void {
    const { nodes, degree, seed } = this.options;
    const random = substream(seed, 'topology');
    const urls = this.nodes.map(({ url }) => url);
    const pods = urls.map(() => new Set<string>());
    for (const [place, { url }] of this.pods.entries()) {
      pods[place % nodes]?.add(url);
      if (place % SHARED_EVERY === 0) pods[between(random, 0, nodes - 1)]?.add(url);
    }
    for (const [place, url] of urls.entries()) {
      const others = [...urls.slice(place + 1), ...urls.slice(0, place)];
      const peers = [...new Set([...others.slice(0, 1), ...sample(random, others, degree)])].slice(0, degree);
      this.truth.operators.set(url, { peers, pods: [...(pods[place] ?? [])] });
    }
  }
}

/** A pod with its server, and the author who writes in it and knows what is true. Each document describes one component. */
export class SimulatedPod {
  readonly name: string;
  readonly url: string;
  readonly server: PodServer;
  #written = 0;

  constructor(
    place: number,
    private readonly world: World,
  ) {
    const { network, truth, time } = world;
    this.name = `pod${place}.example`;
    this.url = `https://${this.name}/components/`;
    this.server = createPodServer(this.url, () => time.now);
    const isPrivate = place % PRIVATE_EVERY === PRIVATE_EVERY - 1;
    network.addHost(this.name, addressAt(isPrivate ? 10 : 46, place), this.server.answer);
    if (isPrivate) truth.privatePods.add(this.url);
  }

  /** URLs of the documents that there are. */
  get documents(): readonly string[] {
    return [...this.world.truth.saidBy(this.url).keys()];
  }

  /** What a document describes, or did when it was last written. */
  uriOf(document: string): string {
    const said = this.world.truth.saidBy(this.url).get(document);
    const { host, pathname } = new URL(document);
    return said?.uri ?? `${MODULES}${host}${pathname.replace(/\.ttl$/, '.js')}`;
  }

  /** Writes a document, new or not, with a label that was never used before. */
  async write(document: string, uri = this.uriOf(document)): Promise<void> {
    this.#written += 1;
    const label = `${this.name} ${this.#written}`;
    const body = `<${uri}> a <${VOCABULARY}component> ; <${VOCABULARY}label> "${label}" .\n`;
    await this.#ask('PUT', document, body);
    this.world.truth.say(this.url, document, { uri, label });
    this.world.network.emit('changed', this.url, document, label);
  }

  async erase(document: string): Promise<void> {
    await this.#ask('DELETE', document);
    this.world.truth.unsay(this.url, document);
    this.world.network.emit('changed', this.url, document, undefined);
  }

  async #ask(method: string, document: string, body: string | null = null): Promise<void> {
    const headers = { 'content-type': 'text/turtle' };
    const { ok, status } = await this.server.answer(new Request(document, { method, headers, body }));
    if (!ok) throw new Error(`${method} ${document} answered ${status}`);
  }
}

function addressAt(network: number, place: number): string {
  return `${network}.1.${place >> 8}.${place & 255}`;
}
