import { Judge } from './invariants/judge.js';
import { Keeper } from './invariants/keeper.js';
import { Violation } from './invariants/violation.js';
import { Watchman } from './invariants/watchman.js';
import type { NetworkObserver } from './network/hosts.js';
import type { SimulationOptions } from './options.js';
import { type CostFigures, Costs } from './report/costs.js';
import { RunLog } from './report/run-log.js';
import { type SpreadFigures, SpreadTimes } from './report/spread-times.js';
import { CHANGES } from './world/changes.js';
import { Happenings } from './world/happenings.js';
import { planRound } from './world/plan.js';
import { World } from './world/world.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** Bounds of discovery that the software ships with. */
const SHIPPED = { depth: 3, maxPeers: 100, maxPods: 1000 };

/** Of each hour, so long things happen; in the rest, all comes right again. */
const ACTIVE = 0.4 * HOUR;
/** How often it is looked whether all is right, in ms. */
const LOOK_EVERY = MINUTE;
/** When all is right, so long nothing new is known to anybody any more; then so long nothing may move. */
const REST = 35 * MINUTE;
const IDLE = 30 * MINUTE;

/** What a simulation shows beside its rules. */
export interface Outcome {
  /** SHA-256 of the log. */
  readonly digest: string;
  readonly lines: number;
  /** Virtual ms, and how long the network needed until all was right for the first time. */
  readonly elapsed: number;
  readonly convergence: number;
  readonly joining: CostFigures;
  readonly active: CostFigures;
  readonly idle: CostFigures;
  /** Virtual hours that the figures for idle stand for. */
  readonly idleHours: number;
  readonly activeHours: number;
  readonly spread: SpreadFigures;
  /** Sources of peers, and whole peers, that were read anew. */
  readonly repairs: number;
  readonly happenings: readonly string[];
  readonly events: number;
}

/** Nodes join and converge; things happen; nothing happens. */
export type Phase = 'joining' | 'active' | 'idle';

export interface SimulationParts {
  /** Told what is going on, now and then. */
  readonly progress?: (text: string) => void;
  /** Given the log as it grows. */
  readonly writeLog?: (text: string) => void;
  /** Told that a phase is over. */
  readonly ended?: (phase: Phase) => void;
}

/** One run of a simulated network. */
export class Simulation {
  readonly #options: SimulationOptions;
  readonly #progress: (text: string) => void;
  readonly #ended: (phase: Phase) => void;
  readonly #world: World;
  readonly #log: RunLog;
  readonly #costs: Costs;
  readonly #watchman: Watchman;
  readonly #spread: SpreadTimes;
  readonly #keeper: Keeper;
  readonly #judge: Judge;
  readonly #happenings: Happenings;

  constructor(options: SimulationOptions, parts: SimulationParts = {}) {
    this.#options = options;
    this.#progress = parts.progress ?? (() => undefined);
    this.#ended = parts.ended ?? (() => undefined);
    const observers: NetworkObserver[] = [];
    this.#world = new World({
      ...options,
      observer: toAll(observers),
      committed: (node, committed) => this.#keeper.committed(node, committed),
      overtaken: (node, source) => this.#keeper.overtaken(node, source),
      hasSlowDisks: options.faults.length > 0,
    });
    const { time, nodes, pods, truth } = this.#world;
    this.#keeper = new Keeper({
      ...{ truth, elapsed: () => time.elapsed, nodes: nodes.length },
      faults: () => this.#happenings.faults,
    });
    this.#log = new RunLog(() => time.elapsed, parts.writeLog);
    const podHosts = new Set(pods.map(({ name }) => name));
    this.#costs = new Costs((host) => podHosts.has(host));
    this.#watchman = new Watchman({
      elapsed: () => time.elapsed,
      isConfigured: (from, host) =>
        (truth.operators.get(`https://${from}`)?.pods ?? []).some((url) => new URL(url).host === host),
      isContainer: (host, target) => podHosts.has(host) && target.endsWith('/'),
    });
    observers.push(this.#log, this.#costs, this.#watchman);
    this.#spread = new SpreadTimes(time, nodes);
    this.#judge = new Judge(this.#world, { ...SHIPPED, ...options.config.discovery });
    this.#happenings = new Happenings({ world: this.#world, spread: this.#spread }, options.seed, this.#log);
  }

  /** Numbers of what has happened, and what it was. */
  get begun(): readonly number[] {
    return this.#happenings.begun;
  }

  get history(): readonly string[] {
    return this.#happenings.history;
  }

  /** Rejects with a `Violation` when a rule is broken. */
  async run(): Promise<Outcome> {
    try {
      return await this.#run();
    } finally {
      this.#log.flush();
    }
  }

  async #run(): Promise<Outcome> {
    const { hours } = this.#options;
    await this.#join();
    const convergence = await this.#settle('the network converges');
    const joining = this.#costs.take();
    this.#ended('joining');
    this.#spread.take();
    for (let round = 0; round < hours; round++) {
      await this.#happen(round);
      await this.#settle(`round ${round + 1} of ${Math.ceil(hours)} settles`);
      await this.#pass(convergence + (round + 1) * HOUR - this.#world.elapsed);
    }
    const active = this.#costs.take();
    this.#ended('active');
    const activeHours = this.#world.elapsed / HOUR - convergence / HOUR;
    const idle = await this.#idle();
    this.#ended('idle');
    return {
      digest: this.#log.digest(),
      lines: this.#log.count,
      elapsed: this.#world.elapsed,
      ...{ convergence, joining, active, idle, activeHours, idleHours: IDLE / HOUR },
      spread: this.#spread.take(),
      repairs: this.#keeper.repairs,
      happenings: this.#happenings.history,
      events: this.#world.time.events,
    };
  }

  async #join(): Promise<void> {
    const { nodes } = this.#world;
    await this.#world.furnish();
    const gap = (this.#options.joinMinutes * MINUTE) / nodes.length;
    for (const [place, node] of nodes.entries()) {
      await this.#world.time.passUntil(node.start());
      await this.#world.time.passUntil(this.#world.postFirst(node));
      await this.#pass((place + 1) * gap - this.#world.elapsed);
      this.#progress(`${place + 1} of ${nodes.length} nodes have joined`);
    }
  }

  /** Lets time pass until all is right. @throws Violation when it takes too long */
  async #settle(what: string): Promise<number> {
    const latest = this.#world.elapsed + this.#options.boundHours * HOUR;
    for (;;) {
      const deviation = await this.#world.time.passUntil(this.#judge.firstDeviation());
      if (!deviation) break;
      this.#progress(`${what}: ${deviation.message}`);
      if (this.#world.elapsed >= latest) {
        throw new Violation(deviation.rule, this.#world.elapsed, deviation.message);
      }
      await this.#pass(LOOK_EVERY);
    }
    this.#log.note(`${what}: all is right`);
    return this.#world.elapsed;
  }

  async #happen(round: number): Promise<void> {
    const { seed, faults, pods, nodes, replay } = this.#options;
    const began = this.#world.elapsed;
    const changes = pods === 0 ? [] : CHANGES;
    const planned = planRound({
      ...{ seed, round, length: ACTIVE },
      changes: { kinds: changes, count: Math.min(50, 4 + Math.ceil(pods / 3)) },
      faults: { kinds: faults, count: Math.min(50, 2 + Math.ceil(nodes / 4)) },
    });
    for (const one of planned) {
      if (replay && !replay.includes(one.number)) continue;
      await this.#pass(began + one.at - this.#world.elapsed);
      await this.#world.time.passUntil(this.#happenings.begin(one));
    }
    await this.#pass(began + ACTIVE - this.#world.elapsed);
    this.#happenings.endAll();
    this.#progress(`round ${round + 1}: ${planned.length} things have happened`);
  }

  /** Nothing happens any more, so nothing may move. */
  async #idle(): Promise<CostFigures> {
    const { nodes } = this.#world;
    const { restHours } = this.#options;
    await this.#pass(restHours === undefined ? REST : restHours * HOUR);
    const revisions = () =>
      nodes.map(({ storage: { head }, stored: { meta } }) =>
        JSON.stringify([head.epoch, meta?.revision, meta?.networkRevision]),
      );
    const before = revisions();
    this.#costs.take();
    this.#watchman.isIdle = true;
    await this.#pass(IDLE);
    const after = revisions();
    const moved = nodes.findIndex((_, place) => before[place] !== after[place]);
    if (moved >= 0) {
      const message = `${nodes[moved]?.name} has moved from ${before[moved]} to ${after[moved]}`;
      throw new Violation('revisions', this.#world.elapsed, message);
    }
    await this.#settle('nothing has moved');
    return this.#costs.take();
  }

  async #pass(ms: number): Promise<void> {
    const { time } = this.#world;
    if (ms > 0) await time.runUntil(time.now + ms);
    this.#watchman.check();
    await this.#keeper.check(this.#world.nodes);
    this.#happenings.check();
  }
}

function toAll(observers: readonly NetworkObserver[]): NetworkObserver {
  return {
    dialled(from, host, address) {
      for (const observer of observers) observer.dialled(from, host, address);
    },
    exchanged(traffic) {
      for (const observer of observers) observer.exchanged(traffic);
    },
    carried(request, bytes) {
      for (const observer of observers) observer.carried(request, bytes);
    },
  };
}
