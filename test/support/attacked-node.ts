import { once } from 'node:events';
import { readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
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
  ...{ overIdleMb: 400, leftMb: 150, backMs: 150_000 },
} as const;
/** Each attack is tried so many times: the least of the longest waits is what the attack itself costs. */
const ROUNDS = rounds({ short: 1, full: 3 });
/** LevelDB starts the thread that tidies its files when it has to for the first time, and keeps it. */
const DATABASE_THREADS = 1;
/** Requests before the first attack: code that runs for the first time takes memory, and is slow. */
const IDLE_QUESTIONS = 20;

/** What another reader of a node noticed while something went on. */
interface Noticed {
  /** Requests for `/health` that were not answered with 200. */
  readonly failed: number;
  /** The longest that one of them took, but for the time for which others had the processor. */
  readonly ownWaitMs: number;
  /** The longest that the main thread of the node ran while one of them waited. */
  readonly busyMs: number;
}

export type AttackedNode = Awaited<ReturnType<typeof attackedNode>>;

/**
 * A running node that is attacked while another client watches; as it is now counts as idle. An attack that stops the node, or nearly
 * so, fails the test.
 *
 *     const attacked = await attackedNode(node);
 *     await attacked.by('huge bodies', () => sendHugeBodies(node));
 *     await attacked.expectRecovery();
 */
export async function attackedNode(node: NodeProcess) {
  for (let i = 0; i < IDLE_QUESTIONS; i++) await node.getJson('/health');
  const { url, pid } = node;
  const idle = heldBy(pid);
  const script = new URL('./bystander-worker.mjs', import.meta.url);
  const bystander = new Worker(script, { workerData: { url, pid, pauseMs: inTorture ? 5 : 25 } });
  cleanup(() => bystander.terminate());
  /** Resolves with what the bystander says to that. */
  const tell = async (order: 'begin' | 'end'): Promise<unknown> => {
    bystander.postMessage(order);
    return (await once(bystander, 'message'))[0];
  };

  return {
    /** Resolves with what the last round of the attack resolves with. */
    async by<T>(attack: string, what: () => Promise<T>, { rounds: times = ROUNDS } = {}): Promise<T> {
      const noticed: Noticed[] = [];
      const before = heldBy(pid);
      // Has the kernel forget the most resident memory so far (man 5 proc_pid_clear_refs).
      writeFileSync(`/proc/${pid}/clear_refs`, '5');
      let result: T;
      do {
        await tell('begin');
        result = await what();
        noticed.push((await tell('end')) as Noticed);
      } while (noticed.length < times);
      const unanswered = noticed.filter(({ failed }) => failed > 0).length;
      expect(unanswered, `${attack}: others were not answered`).toBe(0);
      const least = (figure: keyof Noticed) => Math.round(Math.min(...noticed.map((one) => one[figure])));
      const [ownWaitMs, busyMs] = [least('ownWaitMs'), least('busyMs')];
      const overIdleMb = Math.round(heldBy(pid).mostResidentMb - before.residentMb);
      const figures = { 'wait, but for a processor (ms)': ownWaitMs, 'node busy (ms)': busyMs };
      tortureRow(attack, { ...figures, 'memory over idle (MB)': overIdleMb });
      const isWithin = (figure: number, bound: number, name: string) =>
        expect(figure, `${attack}: ${name}`).toBeLessThanOrEqual(bound);
      isWithin(ownWaitMs, BOUND.ownWaitMs, 'ms that others waited, not for a processor');
      isWithin(busyMs, BOUND.busyMs, 'ms in which nobody was answered');
      isWithin(overIdleMb, BOUND.overIdleMb, 'resident MB over idle');
      return result;
    },

    /** Waits until the node holds no more threads and sockets than at the start, and little more memory. */
    async expectRecovery(): Promise<void> {
      const recovered = () => {
        const now = heldBy(pid);
        const fewer = now.threads <= idle.threads + DATABASE_THREADS && now.sockets <= idle.sockets;
        return fewer && now.residentMb - idle.residentMb <= BOUND.leftMb;
      };
      const describe = () => `${JSON.stringify(heldBy(pid))} to be again ${JSON.stringify(idle)}`;
      await waitFor(recovered, { timeoutMs: BOUND.backMs, describe });
    },
  };
}

/** What a process holds just now, and the most memory that it held since the kernel was told to forget that. */
function heldBy(pid: number) {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const figure = (key: string) => Number(new RegExp(`^${key}:\\s+(\\d+)`, 'm').exec(status)?.[1]);
  const [residentMb, mostResidentMb] = [figure('VmRSS') / 1024, figure('VmHWM') / 1024];
  return { residentMb, mostResidentMb, threads: figure('Threads'), sockets: socketsOf(pid) };
}

function socketsOf(pid: number): number {
  const fds = `/proc/${pid}/fd`;
  return readdirSync(fds).filter((name) => {
    try {
      return readlinkSync(`${fds}/${name}`).startsWith('socket:');
    } catch (error) {
      // Closed since it was listed.
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
      throw error;
    }
  }).length;
}
