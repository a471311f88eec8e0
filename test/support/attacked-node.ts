import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'vitest';
import { Bystander, type Noticed } from './bystander.js';
import type { NodeProcess } from './node/node-process.js';
import { inTorture, rounds, type TortureRow, tortureRow } from './torture.js';
import { waitFor } from './wait-for.js';

/** What is demanded on a quiet machine, and printed by `npm run torture`. */
const TARGET = { timesIdle: 10, waitMs: 250, overIdleMb: 150, backSeconds: 30 } as const;
/** What fails a test, on a machine that does other things, too: a wait counts without the time for which others had the processor. */
const BOUND = {
  ownWaitMs: inTorture ? TARGET.waitMs : 5_000,
  busyMs: inTorture ? TARGET.waitMs : 500,
  overIdleMb: 400,
  leftMb: 150,
  backMs: 150_000,
} as const;

/** Each attack is tried so many times: the least of the longest waits is what the attack itself costs. */
const ROUNDS = rounds({ short: 1, full: 3 });
/** LevelDB starts the thread that tidies its files when it has to for the first time, and keeps it. */
const DATABASE_THREADS = 1;
/** A node holds what it holds when its memory has not moved by more than this, in MB, for so many looks. */
const STEADY = { mb: 1, looks: 4, pauseMs: 250, mostLooks: 40 } as const;
/** Requests of another client that tell how long it waits when nothing else goes on. */
const IDLE_QUESTIONS = inTorture ? 200 : 20;

/** What a process holds just now. */
interface Held {
  readonly residentMb: number;
  readonly threads: number;
  readonly sockets: number;
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
  /** At the start. */
  readonly #first: Held;
  /** Before the present attack: what earlier ones have left does not count against it. */
  #idle: Held;
  #idleWaitMs: number;

  private constructor(node: NodeProcess, idle: Held, { longestWaitMs }: Noticed) {
    this.#node = node;
    this.#first = idle;
    this.#idle = idle;
    this.#idleWaitMs = longestWaitMs;
  }

  /** Takes the node as it is now for idle. */
  static async of(node: NodeProcess): Promise<AttackedNode> {
    // First: code that runs for the first time takes memory, and is slow.
    await Bystander.idle(node, IDLE_QUESTIONS);
    const noticed = await Bystander.idle(node, IDLE_QUESTIONS);
    const idle = inTorture ? await heldWhenSteady(node.pid) : heldBy(node.pid);
    return new AttackedNode(node, idle, noticed);
  }

  /** Resolves with what the last round of the attack resolves with. */
  async by<T>(
    attack: string,
    what: () => Promise<T>,
    { rounds: times = ROUNDS }: { readonly rounds?: number } = {},
  ): Promise<T> {
    const noticed: Noticed[] = [];
    let result: T;
    if (inTorture) await this.#lookAtIdle();
    do {
      const bystander = await Bystander.watch(this.#node);
      result = await what();
      noticed.push(await bystander.end());
    } while (noticed.length < times);
    await this.#report(attack, noticed);
    return result;
  }

  /** Waits until the node holds no more threads and sockets than at the start, and little more memory. */
  async expectRecovery(): Promise<void> {
    await this.#back(this.#first);
  }

  /** The same after all attacks, where what each of them has left adds up; it becomes a line of the table, too. */
  async expectNothingLeft(): Promise<void> {
    await this.expectRecovery();
    if (!inTorture) return;
    const first = this.#first;
    const { residentMb, threads } = await heldWhenSteady(this.#node.pid);
    tortureRow('after all of these', {
      'idle (MB)': `${Math.round(first.residentMb)} at first, ${Math.round(residentMb)} now`,
      threads: `${first.threads} + ${threads - first.threads}`,
      'left (MB)': Math.round(residentMb - first.residentMb),
    });
  }

  /** What the node holds, and how long others wait, before an attack. */
  async #lookAtIdle(): Promise<void> {
    this.#idle = await heldWhenSteady(this.#node.pid);
    this.#idleWaitMs = (await Bystander.idle(this.#node, IDLE_QUESTIONS)).longestWaitMs;
  }

  /** @returns the seconds that it took, and the MB over what was held before that were left */
  async #back(before: Held): Promise<{ seconds: number; leftMb: number }> {
    const began = performance.now();
    const now = () => heldBy(this.#node.pid);
    const recovered = () => {
      const { residentMb, threads, sockets } = now();
      const fewer = threads <= before.threads + DATABASE_THREADS;
      const closed = sockets <= before.sockets;
      return fewer && closed && residentMb - before.residentMb <= BOUND.leftMb;
    };
    const describe = () => `${JSON.stringify(now())} to be again ${JSON.stringify(before)}`;
    await waitFor(recovered, { timeoutMs: BOUND.backMs, describe });
    const leftMb = Math.round(now().residentMb - before.residentMb);
    return { seconds: (performance.now() - began) / 1000, leftMb };
  }

  async #recoveryFigures(): Promise<TortureRow> {
    const { seconds, leftMb } = await this.#back(this.#idle);
    return {
      'back after (s)': seconds.toFixed(1),
      'left (MB)': leftMb,
      back: verdict(seconds <= TARGET.backSeconds),
    };
  }

  async #report(attack: string, noticed: readonly Noticed[]): Promise<void> {
    const most = (figure: (one: Noticed) => number) => Math.max(...noticed.map(figure));
    const waits = noticed.map(({ longestWaitMs }) => Math.round(longestWaitMs));
    const queued = noticed.map(({ queuedMs }) => Math.round(queuedMs));
    const waitMs = Math.min(...waits);
    const ownWaitMs = Math.min(...noticed.map(({ longestWaitMs, queuedMs: ms }) => longestWaitMs - ms));
    const busyMs = Math.min(...noticed.map(({ busiestMs }) => busiestMs));
    const overIdleMb = most(({ mostResidentMb }) => mostResidentMb) - Math.round(this.#idle.residentMb);
    if (inTorture) {
      tortureRow(attack, {
        'longest wait (ms)': waits.join(' '),
        'for a processor (ms)': queued.join(' '),
        'node busy (ms)': Math.round(busyMs),
        'idle wait (ms)': this.#idleWaitMs,
        wait: verdict(waitMs <= TARGET.waitMs && waitMs <= TARGET.timesIdle * this.#idleWaitMs),
        'idle (MB)': Math.round(this.#idle.residentMb),
        'memory over idle (MB)': overIdleMb,
        memory: verdict(overIdleMb <= TARGET.overIdleMb),
        threads: `${this.#idle.threads} + ${most(({ mostThreads }) => mostThreads) - this.#idle.threads}`,
        ...(await this.#recoveryFigures()),
      });
    }
    expect(
      most(({ failed }) => failed),
      `${attack}: requests of others that failed`,
    ).toBe(0);
    expect(
      ownWaitMs,
      `${attack}: longest wait of others in ms, without that for a processor`,
    ).toBeLessThanOrEqual(BOUND.ownWaitMs);
    expect(busyMs, `${attack}: ms in which nobody was answered`).toBeLessThanOrEqual(BOUND.busyMs);
    expect(overIdleMb, `${attack}: resident MB over idle`).toBeLessThanOrEqual(BOUND.overIdleMb);
  }
}

/** What a process holds once its memory stays as it is; after some seconds, whatever it holds then. */
async function heldWhenSteady(pid: number): Promise<Held> {
  let held = heldBy(pid);
  for (let look = 0, steady = 0; look < STEADY.mostLooks && steady < STEADY.looks; look++) {
    await pause(STEADY.pauseMs);
    const { residentMb } = held;
    held = heldBy(pid);
    steady = Math.abs(held.residentMb - residentMb) <= STEADY.mb ? steady + 1 : 0;
  }
  return held;
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
