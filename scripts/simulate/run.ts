/** One run of a simulated network: nodes join and converge; things happen; nothing happens. */
import { type CostFigures, RunLog, type SpreadFigures, SpreadTimes } from './costs.js';
import { Happenings, type Kind, planRound } from './happenings.js';
import { type Bounds, firstDeviation, Violation, Watchman } from './rules.js';
import { HOUR, MINUTE } from './time.js';
import { World, type WorldOptions } from './world.js';

/** What a simulation is to do. */
export interface SimulationOptions extends WorldOptions {
  readonly hours: number;
  /** Minutes in which the nodes join, one after the other. */
  readonly join: number;
  /** Hours until all has to be right after the last thing that happened. */
  readonly bound: number;
  /** Those that may happen. */
  readonly faults: readonly Kind[];
  /** Only these happen, by their numbers; all of them when absent. */
  readonly replay?: readonly number[] | undefined;
}

/** What a simulation shows beside its rules. */
export interface Outcome {
  /** SHA-256 of the log. */
  readonly digest: string;
  readonly lines: number;
  /** Virtual ms, and how long the network needed until all was right for the first time. */
  readonly elapsed: number;
  readonly convergence: number;
  readonly joining: CostFigures;
  readonly active: CostFigures & { readonly hours: number };
  readonly idle: CostFigures & { readonly hours: number };
  readonly spread: SpreadFigures;
  /** Sources of peers, and whole peers, that were read anew. */
  readonly repairs: number;
  readonly happenings: readonly string[];
  readonly events: number;
}

/** A run that broke a rule. */
export interface Failure {
  readonly violation: Violation;
  /** Numbers of what happened, and what it was. */
  readonly begun: readonly number[];
  readonly history: readonly string[];
}

export interface Observer {
  /** Told what is going on, now and then. */
  readonly progress?: (text: string) => void;
  /** Given the log as it grows. */
  readonly writeLog?: (line: string) => void;
}

export type Result = { readonly outcome: Outcome } | { readonly failure: Failure };

/** Runs a simulation to its end, or to the first rule that is broken. Rejects for what is a fault of the simulation itself. */
export async function simulate(options: SimulationOptions, observer: Observer = {}): Promise<Result> {
  const run = new Run(options, observer);
  try {
    return { outcome: await run.toEnd() };
  } catch (violation) {
    if (!(violation instanceof Violation)) throw violation;
    const { begun, history } = run.happenings;
    return { failure: { violation, begun, history } };
  }
}

/** Bounds of discovery that the software ships with. */
const SHIPPED = { depth: 3, maxPeers: 100, maxPods: 1000 };
/** Of each hour, so long things happen; in the rest, all comes right again. */
const ACTIVE = 0.4 * HOUR;
/** How often it is looked whether all is right, in ms. */
const LOOK_EVERY = MINUTE;
/** When all is right, so long nothing new is known to anybody any more; then so long nothing may move. */
const REST = 35 * MINUTE;
const IDLE = 30 * MINUTE;

class Run {
  readonly happenings: Happenings;
  readonly #options: SimulationOptions;
  readonly #progress: (text: string) => void;
  readonly #world: World;
  readonly #log: RunLog;
  readonly #watchman: Watchman;
  readonly #spread: SpreadTimes;

  constructor(options: SimulationOptions, { progress, writeLog }: Observer) {
    const ignore = () => undefined;
    this.#options = options;
    this.#progress = progress ?? ignore;
    this.#watchman = new Watchman(
      () => this.#world,
      () => this.happenings.faults,
    );
    this.#world = new World(options, options.faults.length > 0, this.#watchman);
    const { time, nodes, pods, network } = this.#world;
    const podHosts = new Set(pods.map(({ name }) => name));
    this.#log = new RunLog(
      () => time.elapsed,
      (host) => podHosts.has(host),
      writeLog ?? ignore,
    );
    network.observers.push(this.#log, this.#watchman);
    this.#spread = new SpreadTimes(time, nodes);
    const stage = { world: this.#world, spread: this.#spread };
    this.happenings = new Happenings(stage, options.seed, (text) => this.#log.note(text));
  }

  /** Rejects with a `Violation` when a rule is broken. */
  async toEnd(): Promise<Outcome> {
    const { hours } = this.#options;
    const { time } = this.#world;
    await this.#join();
    const convergence = await this.#settle('the network converges');
    const joining = this.#log.take();
    this.#spread.take();
    for (let round = 0; round < hours; round++) {
      await this.#happen(round);
      await this.#settle(`round ${round + 1} of ${Math.ceil(hours)} settles`);
      await this.#pass(convergence + (round + 1) * HOUR - time.elapsed);
    }
    const active = { ...this.#log.take(), hours: (time.elapsed - convergence) / HOUR };
    const idle = { ...(await this.#idle()), hours: IDLE / HOUR };
    return {
      ...{ digest: this.#log.digest(), lines: this.#log.count, elapsed: time.elapsed, events: time.events },
      ...{ convergence, joining, active, idle, spread: this.#spread.take() },
      ...{ repairs: this.#watchman.repairs, happenings: this.happenings.history },
    };
  }

  async #join(): Promise<void> {
    const { nodes, time } = this.#world;
    await this.#world.furnish();
    const gap = (this.#options.join * MINUTE) / nodes.length;
    for (const [place, node] of nodes.entries()) {
      await time.goOnUntil(node.start());
      await time.goOnUntil(this.#world.postFirst(node));
      await this.#pass((place + 1) * gap - time.elapsed);
      this.#progress(`${place + 1} of ${nodes.length} nodes have joined`);
    }
  }

  /** Lets time pass until all is right, and says when it was. @throws Violation when it takes too long */
  async #settle(what: string): Promise<number> {
    const { time } = this.#world;
    const latest = time.elapsed + this.#options.bound * HOUR;
    const bounds: Bounds = { ...SHIPPED, ...this.#options.config.discovery };
    for (;;) {
      const deviation = await time.goOnUntil(firstDeviation(this.#world, bounds));
      if (!deviation) break;
      this.#progress(`${what}: ${deviation.message}`);
      if (time.elapsed >= latest) throw new Violation(deviation.rule, time.elapsed, deviation.message);
      await this.#pass(LOOK_EVERY);
    }
    this.#log.note(`${what}: all is right`);
    return time.elapsed;
  }

  async #happen(round: number): Promise<void> {
    const { seed, faults, replay } = this.#options;
    const { nodes, pods, time } = this.#world;
    const began = time.elapsed;
    const planned = planRound({
      ...{ seed, round, length: ACTIVE },
      changes: pods.length === 0 ? 0 : Math.min(50, 4 + Math.ceil(pods.length / 3)),
      faults: { kinds: faults, count: Math.min(50, 2 + Math.ceil(nodes.length / 4)) },
    });
    for (const one of planned) {
      if (replay && !replay.includes(one.number)) continue;
      await this.#pass(began + one.at - time.elapsed);
      await time.goOnUntil(this.happenings.begin(one));
    }
    await this.#pass(began + ACTIVE - time.elapsed);
    this.happenings.endAll();
    this.#progress(`round ${round + 1}: ${planned.length} things have happened`);
  }

  /** Nothing happens any more, so nothing may move. */
  async #idle(): Promise<CostFigures> {
    await this.#pass(REST);
    const before = await this.#revisions();
    this.#log.take();
    this.#watchman.isIdle = true;
    await this.#pass(IDLE);
    const after = await this.#revisions();
    const moved = after.find((revision, place) => revision !== before[place]);
    if (moved) throw new Violation('revisions', this.#world.time.elapsed, `a node has moved to ${moved}`);
    await this.#settle('nothing has moved');
    return this.#log.take();
  }

  /** Where each node stands. */
  async #revisions(): Promise<string[]> {
    const told: string[] = [];
    for (const { name, storage } of this.#world.nodes) {
      const { head, revisions } = await storage.stored();
      told.push(JSON.stringify([name, head.epoch, revisions?.revision, revisions?.networkRevision]));
    }
    return told;
  }

  async #pass(ms: number): Promise<void> {
    const { time } = this.#world;
    if (ms > 0) await time.goOn(ms);
    await time.goOnUntil(this.#watchman.check());
    this.happenings.check();
  }
}
