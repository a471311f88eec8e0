import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { expect } from 'vitest';
import { Bystander, type Noticed } from './bystander.js';
import type { NodeProcess } from './node-process.js';
import { inTorture, rounds, type TortureRow, tortureRow } from './torture.js';
import { waitFor } from './wait-for.js';

/** What the issue demands on a quiet machine: printed by `npm run torture`, as load makes any wait longer. */
const TARGET = { timesIdle: 10, waitMs: 250, overIdleMb: 150, backSeconds: 30 } as const;
/** What fails a test, on a machine that does other things, too. What nobody but the node itself adds to is bounded more tightly. */
const BOUND = { waitMs: 5_000, busyMs: 500, overIdleMb: 400, leftMb: 150, backMs: 75_000 } as const;

/** Each attack is tried so many times: the least of the longest waits is what the attack itself costs. */
const ROUNDS = rounds({ short: 1, full: 3 });
/** LevelDB starts the thread that tidies its files when it has to for the first time, and keeps it. */
const DATABASE_THREADS = 1;
/** Requests of another client that tell how long it waits when nothing else goes on. */
const IDLE_QUESTIONS = inTorture ? 200 : 50;

/** What a process holds just now. */
interface Held {
  readonly residentMb: number;
  readonly threads: number;
  readonly sockets: number;
}

interface Bounds {
  /** For attacks that are known to need more than others, in MB. */
  readonly overIdleMb?: number;
  /** How often the attack is tried. */
  readonly rounds?: number;
  /** Does it go on when the test has seen enough? Then there is no recovery to wait for. */
  readonly goesOn?: boolean;
}

/**
 * A running node that is attacked while another client watches. What that client noticed becomes a line in the table
 * of `npm run torture`; an attack that stops the node, or nearly so, fails the test.
 *
 *     const attacked = await AttackedNode.of(node);
 *     await attacked.by('huge bodies', () => sendHugeBodies(node));
 *     await attacked.expectRecovery();
 */
export class AttackedNode {
  readonly #node: NodeProcess;
  readonly #idle: Held;
  #idleWaitMs: number;

  private constructor(node: NodeProcess, idle: Held, { longestWaitMs }: Noticed) {
    this.#node = node;
    this.#idle = idle;
    this.#idleWaitMs = longestWaitMs;
  }

  /** Takes the node as it is now for idle. */
  static async of(node: NodeProcess): Promise<AttackedNode> {
    // First: code that runs for the first time takes memory, and is slow.
    await Bystander.idle(node, IDLE_QUESTIONS);
    const noticed = await Bystander.idle(node, IDLE_QUESTIONS);
    return new AttackedNode(node, heldBy(node.pid), noticed);
  }

  /** Resolves with what the last round of the attack resolves with. */
  async by<T>(attack: string, what: () => Promise<T>, bounds: Bounds = {}): Promise<T> {
    const noticed: Noticed[] = [];
    let result: T;
    if (inTorture) this.#idleWaitMs = (await Bystander.idle(this.#node, IDLE_QUESTIONS)).longestWaitMs;
    do {
      const bystander = await Bystander.watch(this.#node);
      result = await what();
      noticed.push(await bystander.end());
    } while (noticed.length < (bounds.rounds ?? ROUNDS));
    await this.#report(attack, noticed, bounds);
    return result;
  }

  /**
   * Waits until the node holds no more threads and sockets than when it was idle, and little more memory.
   * @returns the seconds that it took, and the MB over idle that were left
   */
  async expectRecovery(): Promise<{ seconds: number; leftMb: number }> {
    const began = performance.now();
    const now = () => heldBy(this.#node.pid);
    const recovered = () => {
      const { residentMb, threads, sockets } = now();
      const fewer = threads <= this.#idle.threads + DATABASE_THREADS && sockets <= this.#idle.sockets;
      return fewer && residentMb - this.#idle.residentMb <= BOUND.leftMb;
    };
    const describe = () => `${JSON.stringify(now())} to be again ${JSON.stringify(this.#idle)}`;
    await waitFor(recovered, { timeoutMs: BOUND.backMs, describe });
    const leftMb = Math.round(now().residentMb - this.#idle.residentMb);
    return { seconds: (performance.now() - began) / 1000, leftMb };
  }

  async #recoveryFigures(): Promise<TortureRow> {
    const { seconds, leftMb } = await this.expectRecovery();
    return {
      'back after (s)': seconds.toFixed(1),
      'left (MB)': leftMb,
      back: verdict(seconds <= TARGET.backSeconds),
    };
  }

  async #report(attack: string, noticed: readonly Noticed[], bounds: Bounds): Promise<void> {
    const most = (figure: (one: Noticed) => number) => Math.max(...noticed.map(figure));
    const waits = noticed.map(({ longestWaitMs }) => Math.round(longestWaitMs));
    const waitMs = Math.min(...waits);
    const busyMs = Math.min(...noticed.map(({ busiestMs }) => busiestMs));
    const overIdleMb = most(({ mostResidentMb }) => mostResidentMb) - Math.round(this.#idle.residentMb);
    if (inTorture) {
      tortureRow(attack, {
        'longest wait (ms)': waits.join(' '),
        'node busy (ms)': Math.round(busyMs),
        'idle wait (ms)': this.#idleWaitMs,
        wait: verdict(waitMs <= TARGET.waitMs && waitMs <= TARGET.timesIdle * this.#idleWaitMs),
        'memory over idle (MB)': overIdleMb,
        memory: verdict(overIdleMb <= TARGET.overIdleMb),
        threads: `${this.#idle.threads} + ${most(({ mostThreads }) => mostThreads) - this.#idle.threads}`,
        ...(bounds.goesOn ? {} : await this.#recoveryFigures()),
      });
    }
    expect(
      most(({ failed }) => failed),
      `${attack}: requests of others that failed`,
    ).toBe(0);
    expect(waitMs, `${attack}: longest wait of others in ms`).toBeLessThanOrEqual(BOUND.waitMs);
    expect(busyMs, `${attack}: ms in which nobody was answered`).toBeLessThanOrEqual(BOUND.busyMs);
    expect(overIdleMb, `${attack}: resident MB over idle`).toBeLessThanOrEqual(
      bounds.overIdleMb ?? BOUND.overIdleMb,
    );
  }
}

function verdict(met: boolean): 'met' | 'over' {
  return met ? 'met' : 'over';
}

function heldBy(pid: number): Held {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const figure = (key: string) => Number(new RegExp(`^${key}:\\s+(\\d+)`, 'm').exec(status)?.[1]);
  return { residentMb: figure('VmRSS') / 1024, threads: figure('Threads'), sockets: socketsOf(pid) };
}

function socketsOf(pid: number): number {
  const fds = `/proc/${pid}/fd`;
  return readdirSync(fds).filter((name) => isSocket(`${fds}/${name}`)).length;
}

function isSocket(path: string): boolean {
  try {
    return readlinkSync(path).startsWith('socket:');
  } catch (error) {
    // Closed since it was listed.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}
