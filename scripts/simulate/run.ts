/** One run of a simulated network: nodes join and converge; things happen; nothing happens. */
import { substream } from './chance.js';
import { type Costs, createRunLog } from './costs.js';
import { ACTIVE, type Begin, isFault, type Planned, planRound } from './happenings.js';
import { compareNodes, stateOf, Violation, watch } from './rules.js';
import { HOUR, MINUTE, SECOND } from './time.js';
import { World, type WorldOptions } from './world.js';

/** What a simulation is to do. */
export interface SimulationOptions extends WorldOptions {
  readonly hours: number;
  /** Those that may happen. */
  readonly faults: Readonly<Record<string, Begin>>;
  /** Only these happen, by their numbers; all of them when absent. */
  readonly replay?: readonly number[] | undefined;
}

/** What a simulation shows beside its rules. */
export interface Outcome {
  /** SHA-256 of the log. */
  readonly digest: string;
  /** Virtual ms that the network needed until all was right for the first time. */
  readonly convergence: number;
  readonly joining: Costs;
  readonly active: Costs;
  readonly idle: Costs;
  readonly history: readonly string[];
}

/** A run that broke a rule. */
export interface Failure {
  readonly violation: Violation;
  /** Virtual ms since the simulation began. */
  readonly elapsed: number;
  /** Numbers of what happened, and what it was. */
  readonly begun: readonly number[];
  readonly history: readonly string[];
}

export type Result = { readonly outcome: Outcome } | { readonly failure: Failure };

/**
 * Runs a simulation to its end, or to the first rule that is broken. Rejects for what is a fault of the simulation itself, and
 * names the seed.
 * @param writeLog given the log as it grows
 */
export async function simulate(
  options: SimulationOptions,
  writeLog: (line: string) => void = () => undefined,
): Promise<Result> {
  const run = new Run(options, writeLog);
  try {
    const outcome = await run.toEnd();
    await run.stop();
    return { outcome };
  } catch (error) {
    const { elapsed, begun, history } = run;
    // What went wrong first is told, also where a network that is out of order cannot be stopped.
    await run.stop().catch((further: unknown) => run.note(`The nodes do not stop: ${further}`));
    if (error instanceof Violation) return { failure: { violation: error, elapsed, begun, history } };
    throw new Error(`It fails with seed ${options.seed}`, { cause: error });
  }
}

/** Runs that look for a shorter history of what broke a rule, at most. */
const SHORTER_RUNS = 60;

/**
 * Leaves out of a history what is not needed to break the same rule: first halves of it, then smaller and smaller parts
 * (A. Zeller, R. Hildebrandt, "Simplifying and Isolating Failure-Inducing Input", 2002).
 */
export async function shorten(options: SimulationOptions, failure: Failure): Promise<Failure> {
  let shortest = failure;
  let runs = 0;
  for (let size = shortest.begun.length; size > 1; ) {
    size = Math.ceil(size / 2);
    for (let from = 0; from < shortest.begun.length && runs < SHORTER_RUNS; runs++) {
      const replay = shortest.begun.filter((_, i) => i < from || i >= from + size);
      const result = await simulate({ ...options, replay });
      const isSame = 'failure' in result && result.failure.violation.rule === failure.violation.rule;
      if (isSame && result.failure.begun.length < shortest.begun.length) shortest = result.failure;
      else from += size;
    }
  }
  return shortest;
}

/** Ms between the first moments of two nodes; all have joined within a minute. */
const joinEvery = (nodes: number) => Math.min(SECOND, Math.floor(MINUTE / nodes));
/** Ms until all has to be right: with faults, nodes wait longer and longer before they try again, an hour at most each time. */
const BOUND = { calm: HOUR, faulty: 8 * HOUR };
/** How often it is looked whether all is right, in ms. */
const LOOK_EVERY = MINUTE;
/** When all is right, so long nothing new is known to anybody any more; then so long nothing may move. */
const REST = 35 * MINUTE;
const IDLE = 30 * MINUTE;

class Run {
  /** What has happened, and when, for people. */
  readonly history: string[] = [];
  /** Numbers of what has happened. */
  readonly begun: number[] = [];
  readonly #world: World;
  readonly #log: ReturnType<typeof createRunLog>;
  readonly #watching: ReturnType<typeof watch>;

  constructor(
    private readonly options: SimulationOptions,
    writeLog: (line: string) => void,
  ) {
    this.#world = new World(options);
    this.#log = createRunLog(this.#world, writeLog);
    this.#watching = watch(this.#world);
  }

  get elapsed(): number {
    return this.#world.time.elapsed;
  }

  note(text: string): void {
    this.history.push(`${(this.elapsed / MINUTE).toFixed(2)} min  ${text}`);
    this.#log.note(text);
  }

  /** Nodes that have not stopped would stay in memory: Node.js keeps signals that somebody listens to. */
  async stop(): Promise<void> {
    await this.#world.time.goOnUntil(Promise.all(this.#world.nodes.map((node) => node.stop())));
  }

  /** Rejects with a `Violation` when a rule is broken. */
  async toEnd(): Promise<Outcome> {
    await this.#join();
    const convergence = await this.#settle();
    const joining = this.#log.take();
    for (let round = 0; round < this.options.hours; round++) {
      await this.#happen(round);
      await this.#settle();
      await this.#passUntil(convergence + (round + 1) * HOUR);
    }
    const active = this.#log.take();
    const idle = await this.#idle();
    return { digest: this.#log.digest(), convergence, joining, active, idle, history: this.history };
  }

  async #join(): Promise<void> {
    const { nodes, time } = this.#world;
    await this.#world.furnish();
    for (const [place, node] of nodes.entries()) {
      await time.goOnUntil(node.start());
      await time.goOnUntil(this.#world.postFirst(node));
      await this.#passUntil((place + 1) * joinEvery(nodes.length));
    }
  }

  /** Lets time pass until all is right, and says when it was. @throws Violation when it takes too long */
  async #settle(): Promise<number> {
    const isFaulty = Object.keys(this.options.faults).length > 0;
    const latest = this.elapsed + (isFaulty ? BOUND.faulty : BOUND.calm);
    for (;;) {
      const { time } = this.#world;
      const deviation: unknown = await time.goOnUntil(compareNodes(this.#world)).catch((error) => error);
      if (deviation === undefined) break;
      if (this.elapsed >= latest || !(deviation instanceof Violation)) throw deviation;
      await this.#passUntil(this.elapsed + LOOK_EVERY);
    }
    this.#log.note('all is right');
    return this.elapsed;
  }

  async #happen(round: number): Promise<void> {
    const { seed, faults, replay } = this.options;
    const began = this.elapsed;
    for (const one of planRound(this.#world, faults, { seed, round, began })) {
      if (replay && !replay.includes(one.number)) continue;
      await this.#passUntil(one.at);
      await this.#world.time.goOnUntil(this.#begin(one));
    }
    await this.#passUntil(began + ACTIVE);
  }

  async #begin({ number, name, begin, until }: Planned): Promise<void> {
    this.begun.push(number);
    const { what, end } = await begin(this.#world, substream(this.options.seed, 'happening', number));
    const happening = `#${number} ${name}: ${what}`;
    this.note(happening);
    if (!end) return;
    const putRight = async () => {
      await end();
      this.note(`${happening} ends`);
    };
    this.#world.time.after(until - this.elapsed, () => void putRight().catch(this.#watching.fail));
  }

  /** Nothing happens any more, so nothing may move. */
  async #idle(): Promise<Costs> {
    const { time, nodes } = this.#world;
    const states = () => time.goOnUntil(Promise.all(nodes.map((node) => stateOf(node))));
    await this.#passUntil(this.elapsed + REST);
    const before = await states();
    this.#log.take();
    this.#watching.isIdle = true;
    await this.#passUntil(this.elapsed + IDLE);
    const moved = (await states()).find((state, place) => state !== before[place]);
    if (moved) throw new Violation('revisions', `a node has moved to ${moved}`);
    await this.#settle();
    return this.#log.take();
  }

  /** Lets time pass until so many ms after the beginning, and begins at least what is due. @throws what went wrong meanwhile */
  async #passUntil(elapsed: number): Promise<void> {
    await this.#world.time.goOn(Math.max(0, elapsed - this.elapsed));
    this.#watching.check(this.begun.filter(isFault).length);
  }
}
