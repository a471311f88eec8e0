import { once } from 'node:events';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { expect } from 'vitest';
import { cleanup } from './cleanup.js';
import type { NodeProcess } from './node/node-process.js';
import { inTorture, rounds, tortureRow } from './torture.js';
import { waitFor } from './wait-for.js';

/** What fails a test, also on a machine that does other things: a wait counts without the time for which others had the processor. */
const BOUND = {
  ownWaitMs: inTorture ? 250 : 5_000,
  busyMs: inTorture ? 250 : 500,
  overIdleMb: 400,
  leftMb: 150,
  backMs: 150_000,
} as const;

/** Each attack is tried so many times: the least of the longest waits is what the attack itself costs. */
const ROUNDS = rounds({ short: 1, full: 3 });
/** LevelDB starts the thread that tidies its files when it has to for the first time, and keeps it. */
const DATABASE_THREADS = 1;
/** Requests of another client before the first attack: code that runs for the first time takes memory, and is slow. */
const IDLE_QUESTIONS = 20;

/** What a process holds just now. */
interface Held {
  readonly residentMb: number;
  readonly threads: number;
  readonly sockets: number;
}

/** What another reader of a node noticed while something went on. */
interface Noticed {
  /** Requests for `/health` that were not answered with 200. */
  readonly failed: number;
  /** The longest that one of them took, in ms, and how much of it went into waiting for a processor that others had. */
  readonly longestWaitMs: number;
  readonly queuedMs: number;
  /** The longest that the main thread of the node ran in one of those times, in ms: it does not grow with what else the machine does. */
  readonly busiestMs: number;
  readonly mostResidentMb: number;
}

/** Threads that watch nobody just now: to start one takes as long as a short attack does. */
const idle: Worker[] = [];

/**
 * A running node that is attacked while another client watches. An attack that stops the node, or nearly so, fails the test.
 *
 *     const attacked = await AttackedNode.of(node);
 *     await attacked.by('huge bodies', () => sendHugeBodies(node));
 *     await attacked.expectRecovery();
 */
export class AttackedNode {
  private constructor(
    readonly node: NodeProcess,
    readonly first: Held,
  ) {}

  /** Takes the node as it is now for idle. */
  static async of(node: NodeProcess): Promise<AttackedNode> {
    const watch = await Watch.begin(node, IDLE_QUESTIONS);
    await watch.noticed;
    return new AttackedNode(node, heldBy(node.pid));
  }

  /** Resolves with what the last round of the attack resolves with. */
  async by<T>(
    attack: string,
    what: () => Promise<T>,
    { rounds: times = ROUNDS }: { readonly rounds?: number } = {},
  ): Promise<T> {
    const noticed: Noticed[] = [];
    const before = heldBy(this.node.pid);
    let result: T;
    do {
      const watch = await Watch.begin(this.node);
      result = await what();
      noticed.push(await watch.end());
    } while (noticed.length < times);
    const least = (figure: (one: Noticed) => number) => Math.round(Math.min(...noticed.map(figure)));
    const overIdleMb = Math.max(...noticed.map((one) => one.mostResidentMb)) - Math.round(before.residentMb);
    const ownWaitMs = least(({ longestWaitMs, queuedMs }) => longestWaitMs - queuedMs);
    const busyMs = least(({ busiestMs }) => busiestMs);
    tortureRow(attack, {
      'longest wait (ms)': noticed.map(({ longestWaitMs }) => Math.round(longestWaitMs)).join(' '),
      ...{ 'without that for a processor (ms)': ownWaitMs, 'node busy (ms)': busyMs },
      'memory over idle (MB)': overIdleMb,
    });
    expect(noticed.filter(({ failed }) => failed > 0).length, `${attack}: others were not answered`).toBe(0);
    expect(
      ownWaitMs,
      `${attack}: longest wait of others in ms, without that for a processor`,
    ).toBeLessThanOrEqual(BOUND.ownWaitMs);
    expect(busyMs, `${attack}: ms in which nobody was answered`).toBeLessThanOrEqual(BOUND.busyMs);
    expect(overIdleMb, `${attack}: resident MB over idle`).toBeLessThanOrEqual(BOUND.overIdleMb);
    return result;
  }

  /** Waits until the node holds no more threads and sockets than at the start, and little more memory. */
  async expectRecovery(): Promise<void> {
    const now = () => heldBy(this.node.pid);
    const recovered = () => {
      const { residentMb, threads, sockets } = now();
      const fewer = threads <= this.first.threads + DATABASE_THREADS && sockets <= this.first.sockets;
      return fewer && residentMb - this.first.residentMb <= BOUND.leftMb;
    };
    const describe = () => `${JSON.stringify(now())} to be again ${JSON.stringify(this.first)}`;
    await waitFor(recovered, { timeoutMs: BOUND.backMs, describe });
  }
}

/**
 * Another reader of a node: asks for `/health`, one request after the other, in a thread of its own, so that the work of
 * the test does not count as waiting.
 */
class Watch {
  private constructor(
    readonly worker: Worker,
    readonly noticed: Promise<Noticed>,
  ) {}

  /** Resolves once it has had a first answer, which does not count. It ends by itself after so many questions. */
  static async begin({ url, pid }: NodeProcess, questions = Number.POSITIVE_INFINITY): Promise<Watch> {
    const worker = idle.pop() ?? newWorker();
    // A request that takes a minute has failed: a long wait is measured.
    worker.postMessage({ url, pid, pauseMs: 5, timeoutMs: 60_000, questions });
    await once(worker, 'message');
    const noticed = once(worker, 'message').then(([seen]) => {
      idle.push(worker);
      return seen as Noticed;
    });
    return new Watch(worker, noticed);
  }

  /** Ends the watch, once the request under way is over. */
  async end(): Promise<Noticed> {
    this.worker.postMessage('end');
    return this.noticed;
  }
}

function newWorker(): Worker {
  const worker = new Worker(new URL('./bystander-worker.mjs', import.meta.url));
  cleanup(() => {
    idle.length = 0;
    return worker.terminate();
  });
  return worker;
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
