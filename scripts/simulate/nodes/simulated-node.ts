import { createVocabulary } from '../../../src/component/vocabulary.js';
import { parseConfig } from '../../../src/config.js';
import { withoutPause } from '../../../src/lib/pace.js';
import { VERSION } from '../../../src/lib/version.js';
import { openConfiguredRegistry } from '../../../src/registry/configured-registry.js';
import type { SourceChange } from '../../../src/registry/source-change.js';
import type { VirtualServer, WireAnswer } from '../network/wire.js';
import { Life } from '../time/life.js';
import { NodeClock } from '../time/node-clock.js';
import { type ProcessParts, SimulatedProcess } from './simulated-process.js';
import type { Storage } from './storage.js';
import type { Stored } from './stored.js';

const OPERATOR_TOKEN = 'the-operator-token-of-a-simulated-node';

/** What the operator of a node has configured. */
export interface NodeSettings {
  /** URLs, in order of precedence. */
  readonly peers: readonly string[];
  readonly pods: readonly string[];
  /** Further keys of the configuration, by section. */
  readonly more?: Readonly<Record<string, unknown>>;
}

export interface SimulatedNodeParts
  extends Omit<ProcessParts, 'host' | 'random' | 'config' | 'clockOffset' | 'serves'> {
  readonly name: string;
  readonly settings: NodeSettings;
  /** The random numbers of each process; there are as many as these. */
  readonly randoms: readonly ProcessParts['random'][];
}

export const JSON_ASKED = { headers: { accept: 'application/json' } };

export function textOf({ body }: Partial<WireAnswer> = {}): string {
  return body instanceof Uint8Array ? Buffer.from(body).toString() : '';
}

type Asked = { method?: string; headers?: Record<string, string>; body?: string };

/** One registry with one address: a process with a disk of its own, or several that share a database, behind a balancer. */
export class SimulatedNode {
  settings: NodeSettings;
  /** How wrong its clocks are, in ms. */
  clockOffset = 0;
  readonly processes: readonly SimulatedProcess[];
  readonly #parts: SimulatedNodeParts;
  #turn = 0;

  constructor(parts: SimulatedNodeParts) {
    const { name, settings, randoms, ...others } = parts;
    this.#parts = parts;
    this.settings = settings;
    this.processes = randoms.map(
      (random) =>
        new SimulatedProcess({
          ...{ ...others, host: name, random, config: () => this.#config() },
          clockOffset: () => this.clockOffset,
          serves: () => this.#serve(),
        }),
    );
  }

  get name(): string {
    return this.#parts.name;
  }

  get url(): string {
    return `https://${this.name}`;
  }

  get storage(): Storage {
    return this.#parts.storage;
  }

  /** What it has stored, whether it runs or not. */
  get stored(): Stored {
    return this.storage.stored;
  }

  /** Do all its processes run? */
  get isRunning(): boolean {
    return this.processes.every(({ isRunning }) => isRunning);
  }

  /** Starts the processes that do not run. */
  async start(): Promise<void> {
    await Promise.all(this.processes.map((one) => one.start()));
  }

  /** All processes end at this instant. */
  crash(): void {
    for (const one of this.processes) one.crash();
  }

  /** Stops it as an operator does, and starts it again, with the settings that it has by then. */
  async restart(): Promise<void> {
    await Promise.all(this.processes.map((one) => one.stop()));
    await this.start();
  }

  /** Stores something as if it had been read: only what breaks rules on purpose goes past the processes of the node. */
  async forge(changes: readonly SourceChange[]): Promise<void> {
    const { time, log } = this.#parts;
    const clock = new NodeClock(time, new Life(), () => this.clockOffset);
    const nothing = () => undefined;
    const place = this.storage.open({ clock, isSlow: false, onWrite: nothing, committed: nothing });
    const config = this.#config();
    const { registry } = await openConfiguredRegistry(await place.keep('registry'), config, {
      ...{ clock, log, pace: withoutPause, vocabulary: createVocabulary(config.vocabulary) },
      version: VERSION,
    });
    for (const change of changes) await registry.commit(change);
    await registry.close();
    await place.close();
  }

  /**
   * Asks the node something from its own machine, where no network is in between: one of its processes, or the first that can
   * answer. Nothing when there is none.
   */
  async ask(
    target: string,
    request: Asked = {},
    process?: SimulatedProcess,
  ): Promise<WireAnswer | undefined> {
    const asked = process ?? this.processes.find(({ isAwake, server }) => isAwake && server);
    if (!asked?.isAwake || !asked.server) return undefined;
    const { method = 'GET', body = null } = request;
    const headers = { authorization: `Bearer ${OPERATOR_TOKEN}`, ...request.headers };
    const asking = { from: this.name, origin: this.url, target, method, headers, body };
    // A process may end before it has answered.
    return asked.server.answer(asking).catch(() => undefined);
  }

  /** The state of which a process tells, `<epoch>.<position>.<digest>`; nothing when it does not answer. */
  async told(process: SimulatedProcess): Promise<string | undefined> {
    const answer = await this.ask('/feed?limit=1', JSON_ASKED, process);
    return answer?.headers['feed-cursor'];
  }

  /** Those that answer take turns, also where one of them is paused: the balancer does not know. */
  readonly #balancer: VirtualServer = {
    answer: (request) => {
      const servers = this.processes.flatMap(({ server }) => server ?? []);
      this.#turn += 1;
      const server = servers[this.#turn % servers.length];
      return server ? server.answer(request) : Promise.reject(new Error('nobody answers'));
    },
  };

  #serve(): void {
    const { network } = this.#parts;
    const isServing = this.processes.some(({ server }) => server);
    if (isServing) network.attach(this.name, this.#balancer);
    else network.detach(this.name);
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
}
