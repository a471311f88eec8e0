import { LOCAL } from '../../../src/component/source.js';
import { createLog, type Log } from '../../../src/lib/log.js';
import { Truth } from '../model/truth.js';
import type { NetworkObserver } from '../network/hosts.js';
import { VirtualNetwork } from '../network/virtual-network.js';
import { ChangingWeather } from '../network/weather.js';
import { RememberingPool } from '../nodes/remembering-pool.js';
import { UNKNOWN } from '../nodes/simulated-keep.js';
import { SimulatedNode, textOf } from '../nodes/simulated-node.js';
import { Storage } from '../nodes/storage.js';
import type { Reading } from '../nodes/stored.js';
import { LdpServer } from '../pods/ldp-server.js';
import { substream } from '../time/substream.js';
import { VirtualTime } from '../time/virtual-time.js';
import { Author } from './author.js';
import { createTopology, type NetworkSize, type Topology } from './topology.js';

/** How a network is made. */
export interface WorldOptions extends NetworkSize {
  readonly seed: number;
  /** Minutes between two polls (`sync.schedule`). */
  readonly intervalMinutes: number;
  /** Further keys of the configuration of every node, by section. */
  readonly config: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly observer: NetworkObserver;
  /** Told of every commit of what a node has read. */
  readonly committed: (node: SimulatedNode, reading: Reading) => void;
  /** Of each node. Where there are several, they share a database. */
  readonly processes: number;
  /** Told of a node that has stored an older reading of a source over a later one. */
  readonly overtaken: (node: string, source: string) => void;
  /** Does writing take time, in which a machine may break down? */
  readonly hasSlowDisks: boolean;
}

/** A pod with its server, and the author who writes in it. */
export interface SimulatedPod {
  readonly name: string;
  readonly url: string;
  readonly server: LdpServer;
  readonly author: Author;
}

/** What was on the disk of a node, and what had been posted to it. */
export interface Backup {
  /** Puts it in the place of what is there. */
  readonly putBack: () => void;
  readonly posted: ReadonlyMap<string, { uri: string; label: string }>;
}

/** Where the modules of all components are: nodes look at them once, to pin what is in them. */
const MODULES = {
  name: 'modules.example',
  address: '47.1.0.1',
  server: {
    answer: async () => {
      const headers = { 'content-type': 'text/javascript' };
      return { status: 200, headers, body: Buffer.from('export default class extends HTMLElement {}\n') };
    },
  },
};

/** The one node in so many to which something was posted. */
const POSTED_EVERY = 3;
const JSON_BODY = { 'content-type': 'application/json' };

/** Everything in a simulated network: its time, its wires, its nodes and pods, and what is really so. */
export class World {
  readonly time = new VirtualTime();
  readonly truth = new Truth(() => this.time.elapsed);
  readonly weather: ChangingWeather;
  readonly network: VirtualNetwork;
  readonly pool = new RememberingPool();
  readonly topology: Topology;
  readonly nodes: readonly SimulatedNode[];
  readonly pods: readonly SimulatedPod[];
  /** Nodes that lie, and what was on their disks before. */
  readonly #honest = new Map<SimulatedNode, Backup>();
  readonly #log: Log = createLog({ level: 'silent' });

  constructor(readonly options: WorldOptions) {
    const { seed, observer } = options;
    this.weather = new ChangingWeather(substream(seed, 'weather'));
    this.network = new VirtualNetwork(this.time, this.weather, observer);
    this.topology = createTopology(options, seed);
    this.network.addHost(MODULES.name, MODULES.address);
    this.network.attach(MODULES.name, MODULES.server);
    this.pods = this.topology.pods.map((pod) => this.#pod(pod));
    this.nodes = this.topology.nodes.map((node) => this.#node(node));
  }

  /** Ms since the simulation began. */
  get elapsed(): number {
    return this.time.elapsed;
  }

  /** Writes what is in the pods before anybody looks. */
  async furnish(): Promise<void> {
    for (const [place, pod] of this.pods.entries()) await pod.author.furnish(place, this.options.components);
  }

  /** Posts something of its own to some of the nodes, which have to run. */
  async postFirst(node: SimulatedNode): Promise<void> {
    const place = this.nodes.indexOf(node);
    if (place % POSTED_EVERY !== 0) return;
    // Every other node describes a component that pods describe, too: whose description is served follows from trust.
    const name = place % 2 === 0 ? 'contested/0' : `posted/${place}`;
    await this.post(node, { uri: `https://modules.example/${name}.js`, label: `posted to ${place}` });
  }

  /** Resolves with false when the node does not answer, or cannot yet. */
  async post(node: SimulatedNode, saying: { uri: string; label: string }): Promise<boolean> {
    const request = { method: 'POST', headers: JSON_BODY, body: JSON.stringify(saying) };
    const isPosted = await isDone(node, '/component', request);
    if (isPosted) this.truth.post(node.url, saying);
    else this.repost(node);
    return isPosted;
  }

  /** The same of a removal. */
  async unpost(node: SimulatedNode, uri: string): Promise<boolean> {
    const isRemoved = await isDone(node, `/c/${encodeURIComponent(uri)}`, { method: 'DELETE' });
    if (isRemoved) this.truth.unpost(node.url, uri);
    else this.repost(node);
    return isRemoved;
  }

  /** A backup of a node's disk; while the node lies, the one that was made before. */
  backupOf(node: SimulatedNode): Backup {
    return (
      this.#honest.get(node) ?? {
        putBack: node.storage.backup(),
        posted: new Map(this.truth.posted.get(node.url)),
      }
    );
  }

  lies(node: SimulatedNode): boolean {
    return this.#honest.has(node);
  }

  /**
   * Notes that a node begins to lie: a lie is on its disk, and would come back with a backup that is made from now on. Gives
   * the backup from before; false when it lies already.
   */
  beginsToLie(node: SimulatedNode): Backup | false {
    if (this.#honest.has(node)) return false;
    const backup = this.backupOf(node);
    this.#honest.set(node, backup);
    return backup;
  }

  /** Restores a backup. What is posted to a node is only there: it is as it was when the backup was made. */
  async restore(node: SimulatedNode, { putBack, posted }: Backup): Promise<void> {
    this.#honest.delete(node);
    node.crash();
    this.truth.repost(node.url, posted);
    putBack();
    await node.start();
  }

  /** What is stored counts: of a post during which a process ended, or its database went away, nobody was told what has become of it. */
  repost({ url, stored }: SimulatedNode): void {
    this.truth.repost(url, new Map(stored.saidBy(LOCAL).map(({ uri, label }) => [uri, { uri, label }])));
  }

  #pod({ name, address, url }: Topology['pods'][number]): SimulatedPod {
    this.network.addHost(name, address);
    const server = new LdpServer({ root: url, now: () => this.time.now });
    this.network.attach(name, server);
    if (address.startsWith('10.')) this.truth.privatePods.add(url);
    this.truth.pods.set(url, new Map());
    return { name, url, server, author: new Author(server, this.truth) };
  }

  #node({ name, address, peers, pods }: Topology['nodes'][number]): SimulatedNode {
    const { seed, intervalMinutes, config, processes, hasSlowDisks } = this.options;
    this.network.addHost(name, address);
    this.truth.operators.set(`https://${name}`, { peers, pods });
    const random = substream(seed, 'node', name);
    const others = Array.from({ length: processes - 1 }, (_, i) => substream(seed, 'process', name, i));
    const node: SimulatedNode = new SimulatedNode({
      ...{ name, intervalMinutes, time: this.time, network: this.network, pool: this.pool, log: this.#log },
      isSlow: hasSlowDisks || processes > 1,
      storage: new Storage({
        ...{ time: this.time, random: substream(seed, 'storage', name), isShared: processes > 1 },
        overtaken: (source) => this.options.overtaken(name, source),
      }),
      settings: { peers, pods, more: config },
      randoms: [random, ...others],
      committed: (reading) => this.options.committed(node, reading),
    });
    return node;
  }
}

async function isDone(
  node: SimulatedNode,
  target: string,
  request: { method: string; headers?: Record<string, string>; body?: string },
): Promise<boolean> {
  const answer = await node.ask(target, request);
  if (answer && answer.status < 300) return true;
  if (!answer || answer.status === 503 || textOf(answer).includes(UNKNOWN)) return false;
  throw new Error(`${node.name} answers ${answer.status} to a ${request.method}`);
}
