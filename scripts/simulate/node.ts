/** Nodes with all their parts, as production composes them, on virtual machines. */
import { parseConfig } from '../../src/config.js';
import type { Random } from '../../src/lib/clock.js';
import { createGuardedFetch } from '../../src/lib/fetch/guarded-fetch.js';
import type { Listen } from '../../src/lib/http/server/server.js';
import { createLog } from '../../src/lib/log.js';
import { withoutPause } from '../../src/lib/pace.js';
import { inProcess } from '../../src/lib/pool/task.js';
import type { Given } from '../../src/node/given.js';
import { createNode, type Node } from '../../src/node.js';
import { PINNING_TIMES } from '../../src/sync/pinning/pinner.js';
import { substream } from './chance.js';
import { createStorage, openStorage, type Reading } from './keep.js';
import { isEndless, networkError, type Server } from './network.js';
import { Life, MINUTE, SECOND } from './time.js';
import type { World } from './world.js';

const TOKEN = 'the-operator-token-of-a-simulated-node';
/** Ms between two polls, as the shipped `sync.schedule` has it. */
const INTERVAL = 5 * MINUTE;
const log = createLog({ level: 'silent' });

/** One registry with one address: a process with a disk of its own, or several that share a database, behind a balancer. */
export class SimulatedNode {
  /** How wrong its clocks are, in ms. */
  clockOffset = 0;
  /** How often a backup has taken the place of what it has stored. */
  restored = 0;
  readonly url: string;
  /** What it has stored, whether it runs or not. */
  readonly storage;
  readonly processes: readonly SimulatedProcess[];
  #turn = 0;

  /** @param name of its host */
  constructor(
    readonly name: string,
    readonly world: World,
  ) {
    const { seed, processes } = world.options;
    this.url = `https://${name}`;
    this.storage = createStorage(() => world.time.now, substream(seed, 'storage', name));
    const randoms = Array.from({ length: processes }, (_, i) => substream(seed, 'process', name, i));
    this.processes = randoms.map((random) => new SimulatedProcess(this, random));
  }

  /** Starts the processes that do not run. */
  async start(): Promise<void> {
    await Promise.all(this.processes.map((one) => one.start()));
  }

  /** Stops its processes as an operator does. */
  async stop(): Promise<void> {
    await Promise.all(this.processes.map((one) => one.stop()));
  }

  /** Makes a backup. The function puts it in the place of what is stored then, also while processes run. */
  backup(): () => void {
    const data = this.storage.backup();
    return () => {
      this.storage.restore(data);
      this.restored += 1;
    };
  }

  /**
   * Asks the node something from its own machine, where no network is in between: one of its processes, or the first that can
   * answer. Nothing when there is none, and when it ends before it has answered.
   */
  async ask(
    target: string,
    asked: RequestInit = {},
    process = this.processes.find((one) => one.isAwake && one.server),
  ): Promise<Response | undefined> {
    if (!process?.isAwake) return undefined;
    const headers = { authorization: `Bearer ${TOKEN}`, accept: 'application/json', ...asked.headers };
    return process.server?.(new Request(this.url + target, { ...asked, headers })).catch(() => undefined);
  }

  /** Those that answer take turns, also where one of them is paused: the balancer does not know. */
  readonly balancer: Server = async (request) => {
    const servers = this.processes.flatMap(({ server }) => server ?? []);
    this.#turn += 1;
    const server = servers[this.#turn % servers.length];
    if (!server) throw networkError('ECONNREFUSED', this.name);
    return server(request);
  };
}

/** A process can be crashed and paused. */
export class SimulatedProcess {
  /** Happens in the middle of the next write, when nothing of it is stored yet. */
  inNextWrite: (() => void) | undefined;
  #running: { readonly node: Node; readonly life: Life; server?: Server | undefined } | undefined;

  constructor(
    private readonly of: SimulatedNode,
    private readonly random: Random,
  ) {}

  /** Does it run, and is not paused? */
  get isAwake(): boolean {
    return this.#running?.life.isAwake === true;
  }

  /** What answers requests; none before it listens. */
  get server(): Server | undefined {
    return this.#running?.server;
  }

  /** Resolves when it runs, or has ended before. */
  async start(): Promise<void> {
    if (this.#running) return;
    const { url, world } = this.of;
    const life = new Life(world.time, () => this.of.clockOffset);
    const fixed = { write: 'operator', connection: { enabled: false }, pins: 'off' };
    const config = parseConfig(
      { baseUrl: url, ...world.truth.operators.get(url), ...fixed, ...world.options.config },
      { directory: '/nowhere', env: { REGISTRY_OPERATOR_TOKEN: TOKEN } },
    );
    const node = createNode(config, this.#given(life));
    this.#running = { life, node };
    await life.unlessEnded(node.start());
  }

  /** The process ends at this instant, wherever it is; what is stored stays. */
  crash(): void {
    this.inNextWrite = undefined;
    const running = this.#running;
    this.#running = undefined;
    running?.life.end();
  }

  /** Stops it as an operator does. A process that is killed while it stops stops no more. */
  async stop(): Promise<void> {
    const running = this.#running;
    if (!running) return;
    await running.life.unlessEnded(running.node.stop());
    if (this.#running === running) this.crash();
  }

  /** It stands still at this instant, wherever it is, until the function that is returned is called. */
  pause(): () => void {
    return this.#running?.life.pause() ?? (() => undefined);
  }

  #given(life: Life): Given {
    const { random, of } = this;
    const { network } = of.world;
    const { clock } = life;
    const opening = {
      clock,
      isShared: of.processes.length > 1,
      committed: (reading: Reading) => network.emit('committed', of.name, reading),
      onWrite: () => {
        const happens = this.inNextWrite;
        this.inNextWrite = undefined;
        if (!life.ending.aborted) happens?.();
      },
    };
    return {
      ...{ clock, random, log, pace: withoutPause },
      ...{ pinningTimes: PINNING_TIMES, processMetrics: false, listen: this.#listen(life) },
      pool: () => inProcess,
      openPlace: async () => openStorage(of.storage, opening),
      fetch: (options) => {
        const transport = network.transportOf(of.name, life);
        return createGuardedFetch({ ...options, clock, lookup: network.lookup, transport });
      },
      timetable: () => life.timetable(INTERVAL, random() * SECOND),
    };
  }

  /** Listens on the virtual network: an exchange calls the application. */
  #listen(life: Life): Listen {
    const serve = (server?: Server) => {
      if (this.#running?.life === life) this.#running.server = server;
    };
    return async (handler) => {
      serve(async (request) => {
        // Bodies are not compressed, because that is done in other threads, which end in any order.
        request.headers.delete('accept-encoding');
        const answered = new Promise<Response>((resolve) => life.run(() => resolve(handler(request))));
        const response = await life.unlessEnded(answered);
        if (!response) throw networkError('ECONNRESET', this.of.name);
        // What is not endless is done at once.
        if (!response.body || !isEndless(request.url, response)) return response;
        const body = response.body.pipeThrough(new TransformStream(), { signal: life.ending });
        return new Response(body, response);
      });
      return { port: 443, stopAccepting: serve, close: async () => serve() };
    };
  }
}
