import { parseConfig } from '../../../src/config.js';
import type { Random } from '../../../src/lib/clock.js';
import { createGuardedFetch } from '../../../src/lib/fetch/guarded-fetch.js';
import type { Log } from '../../../src/lib/log.js';
import { withoutPause } from '../../../src/lib/pace.js';
import type { ClosablePool } from '../../../src/lib/pool/task.js';
import type { Given } from '../../../src/node/given.js';
import { createNode, type Node } from '../../../src/node.js';
import type { Registry } from '../../../src/registry/registry.js';
import type { SourceChange } from '../../../src/registry/source-change.js';
import { type MemoryData, NO_DATA } from '../../../src/store/memory/memory-data.js';
import { createMemoryStore, type MemoryStore } from '../../../src/store/memory/memory-store.js';
import type { RegistryStore } from '../../../src/store/registry-store.js';
import { PINNING_TIMES } from '../../../src/sync/pinning/pinner.js';
import { auditInMemory } from '../../../test/support/audit-in-memory.js';
import type { VirtualNetwork } from '../network/virtual-network.js';
import type { VirtualServer, WireAnswer } from '../network/wire.js';
import { regularTimetable } from '../time/regular-timetable.js';
import { type Life, NodeClock, type VirtualTime } from '../time/virtual-time.js';
import { delegating } from './delegating.js';
import { listenVirtually } from './in-process-server.js';
import type { DiskParts } from './slow-disk.js';

const MINUTE = 60_000;
const OPERATOR_TOKEN = 'the-operator-token-of-a-simulated-node';

/** What the operator of a node has configured. */
export interface NodeSettings {
  /** URLs, in order of precedence. */
  readonly peers: readonly string[];
  readonly pods: readonly string[];
  /** Further keys of the configuration, by section. */
  readonly more?: Readonly<Record<string, unknown>>;
}

export interface SimulatedNodeParts {
  readonly name: string;
  readonly settings: NodeSettings;
  readonly intervalMinutes: number;
  readonly time: VirtualTime;
  readonly network: VirtualNetwork;
  readonly pool: ClosablePool;
  readonly log: Log;
  readonly random: Random;
  /** Puts something around the store, or the server, of the node: what breaks a rule, or lies. */
  readonly store?: (store: RegistryStore, parts: DiskParts) => RegistryStore;
  readonly server?: (server: VirtualServer) => VirtualServer;
  /** Told of every commit of what the node has read. */
  readonly committed?: (committed: Committed) => void;
}

/** What a node has committed of a source, and what it held before and holds now. */
export interface Committed {
  readonly change: SourceChange;
  readonly before: MemoryData;
  readonly after: MemoryData;
}

interface Running {
  readonly node: Node;
  readonly life: Life;
  readonly store: MemoryStore;
  /** Resolves when the process is ended without being asked. */
  readonly death: Promise<void>;
  readonly died: () => void;
  registry?: Registry;
}

/** A node with all its parts, as production composes them, on a virtual machine: it can be crashed, and its disk replaced. */
export class SimulatedNode {
  settings: NodeSettings;
  /** How wrong its clock is, in ms. */
  clockOffset = 0;
  readonly #parts: SimulatedNodeParts;
  #data: MemoryData = NO_DATA;
  #running: Running | undefined;
  #server: VirtualServer | undefined;
  #inNextWrite: (() => void) | undefined;

  constructor(parts: SimulatedNodeParts) {
    this.#parts = parts;
    this.settings = parts.settings;
  }

  get name(): string {
    return this.#parts.name;
  }

  get url(): string {
    return `https://${this.name}`;
  }

  get isRunning(): boolean {
    return this.#running !== undefined;
  }

  /** What its disk holds; never changed, so that it is a backup. */
  get data(): MemoryData {
    return this.#running?.store.data ?? this.#data;
  }

  /** Starts the process, on the data that are there, or on a backup. */
  async start(data: MemoryData = this.data): Promise<void> {
    if (this.#running) return;
    const life: Life = { isOver: false };
    const store = createMemoryStore(data);
    let died: () => void = () => undefined;
    const death = new Promise<void>((resolve) => {
      died = resolve;
    });
    const running: Running = {
      ...{ life, store, death, died },
      node: createNode(
        this.#config(),
        this.#given(
          withRegistry(store, {
            opened: (registry) => {
              running.registry = registry;
            },
            committed: (committed) => this.#parts.committed?.(committed),
          }),
          life,
        ),
      ),
    };
    this.#running = running;
    await running.node.start();
  }

  /** The process ends in the middle of the next write of documents, when nothing of it is on the disk yet. */
  crashInNextWrite(): void {
    this.#inNextWrite = () => this.crash();
  }

  /** The process ends at this instant, wherever it is; what its disk holds stays. */
  crash(): void {
    this.#inNextWrite = undefined;
    if (!this.#running) return;
    this.#running.died();
    this.#data = this.#running.store.data;
    this.#running.life.isOver = true;
    this.#running = undefined;
    this.#server = undefined;
    this.#parts.network.vanish(this.name);
  }

  /** Stops the process as an operator does. */
  async stop(): Promise<void> {
    const running = this.#running;
    if (!running) return;
    // A process that is killed while it stops stops no more.
    await Promise.race([running.node.stop(), running.death]);
    if (this.#running === running) this.crash();
  }

  /** Stops it and starts it again, with the settings that it has by then. */
  async restart(): Promise<void> {
    await this.stop();
    await this.start();
  }

  /** What is written to while it runs: only what breaks rules on purpose goes past the node itself. */
  get registry(): Registry | undefined {
    return this.#running?.registry;
  }

  /** Asks the node something from its own machine, where no network is in between; nothing when it does not run. */
  async ask(
    target: string,
    request: { method?: string; headers?: Record<string, string>; body?: string } = {},
  ): Promise<WireAnswer | undefined> {
    if (!this.#server) return undefined;
    const { method = 'GET', body = null } = request;
    const headers = { authorization: `Bearer ${OPERATOR_TOKEN}`, ...request.headers };
    return this.#server.answer({ from: this.name, origin: this.url, target, method, headers, body });
  }

  #config() {
    const { intervalMinutes } = this.#parts;
    const { peers, pods, more = {} } = this.settings;
    const { sync = {}, ...others } = more;
    return parseConfig(
      {
        ...{ baseUrl: this.url, peers, pods, write: 'operator', connection: { enabled: false } },
        // There are no modules in a simulated network.
        pins: 'off',
        ...others,
        sync: { schedule: `*/${intervalMinutes} * * * *`, ...(sync as object) },
      },
      { directory: '/nowhere', env: { REGISTRY_OPERATOR_TOKEN: OPERATOR_TOKEN } },
    );
  }

  #given(memory: RegistryStore, life: Life): Given {
    const { time, network, pool, log, random, intervalMinutes, name } = this.#parts;
    const clock = new NodeClock(time, life, () => this.clockOffset);
    const onWrite = () => {
      if (!life.isOver) this.#inNextWrite?.();
    };
    const store = this.#parts.store?.(memory, { clock, onWrite }) ?? memory;
    return {
      ...{ clock, random, log, pace: withoutPause, lookup: network.lookup, pool: () => pool },
      pinningTimes: PINNING_TIMES,
      processMetrics: false,
      openStore: async () => store,
      openRecords: async () => {
        throw new Error('a simulated node has no connection service');
      },
      openAudit: () => auditInMemory(clock),
      fetch: (options) => createGuardedFetch({ ...options, clock, transport: network.transportOf(name) }),
      timetable: () => regularTimetable(intervalMinutes * MINUTE, { time, clock, life, phase: random() }),
      listen: listenVirtually({
        open: (server) => this.#answer(this.#parts.server?.(server) ?? server, life),
        close: () => {
          if (!life.isOver) network.detach(name);
        },
      }),
    };
  }

  #answer(server: VirtualServer, life: Life): void {
    if (life.isOver) return;
    this.#server = server;
    this.#parts.network.attach(this.name, server);
  }
}

/** Tells which registry is opened, and what the node commits to it. */
function withRegistry(
  store: MemoryStore,
  tell: { opened(registry: Registry): void; committed(committed: Committed): void },
): RegistryStore {
  return {
    get trouble() {
      return store.trouble;
    },
    close: () => store.close(),
    async load(options) {
      const open = await store.load(options);
      const { registry } = open;
      tell.opened(registry);
      const commit = async (change: SourceChange) => {
        const before = store.data;
        const counts = await registry.commit(change);
        tell.committed({ change, before, after: store.data });
        return counts;
      };
      return { ...open, registry: { ...delegating(registry), commit } };
    },
  };
}
