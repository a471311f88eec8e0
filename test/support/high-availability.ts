import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chown, readFile, readlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { bareEnv, exitOf } from './child.js';
import { cleanup } from './cleanup.js';
import { paused, send } from './paused.js';
import { postgresPrograms } from './postgres-programs.js';
import { SERVER_USER } from './postgres-server.js';
import { MAIN } from './run-program.js';
import { copyOf, type Running, runCommand } from './shipped-examples.js';
import { waitFor } from './wait-for.js';

const PACKAGES = {
  patroni: '/usr/bin/patroni',
  'etcd-server': '/usr/bin/etcd',
  haproxy: '/usr/sbin/haproxy',
};

/** Packages of Debian that the example needs and that are not installed. */
export function missingPackages(): string[] {
  const missing = Object.entries(PACKAGES).flatMap(([name, file]) => (existsSync(file) ? [] : [name]));
  return postgresPrograms() ? missing : ['postgresql', ...missing];
}

export const MACHINES = ['one', 'two', 'three'] as const;
export type Machine = (typeof MACHINES)[number];

interface Member {
  readonly name: Machine;
  readonly role: string;
  readonly state: string;
  readonly timeline?: number;
  readonly lag?: number | string;
}

/** What may happen to the machine of the primary, and how it comes back. */
export const FAULTS = [
  {
    name: 'server killed',
    begin: (cluster: HighAvailability, machine: Machine) => cluster.killServer(machine),
    // Patroni starts it again.
    end: async () => undefined,
  },
  {
    name: 'machine killed',
    begin: (cluster: HighAvailability, machine: Machine) => cluster.killMachine(machine),
    end: async (cluster: HighAvailability, machine: Machine) => cluster.startMachine(machine),
  },
  {
    name: 'server paused',
    begin: (cluster: HighAvailability, machine: Machine) => cluster.pauseServer(machine),
    end: async (cluster: HighAvailability) => cluster.goOn(),
  },
  {
    name: 'machine paused',
    begin: (cluster: HighAvailability, machine: Machine) => cluster.pauseMachine(machine),
    end: async (cluster: HighAvailability) => cluster.goOn(),
  },
] as const;

/** The example as its script starts it, at addresses of this machine that nobody else uses. */
export class HighAvailability {
  /** Of the proxy. */
  readonly url: string;
  readonly #paused: (() => void)[] = [];

  private constructor(
    readonly folder: string,
    readonly addresses: Readonly<Record<Machine, string>>,
    readonly token: string,
    readonly running: Running,
    proxy: string,
  ) {
    this.url = `http://${proxy}:3000`;
  }

  static async start(): Promise<HighAvailability> {
    const network = `127.${1 + Math.floor(Math.random() * 250)}.${Math.floor(Math.random() * 250)}`;
    const [one, two, three, proxy] = [11, 12, 13, 1].map((n) => `${network}.${n}`) as [
      string,
      string,
      string,
      string,
    ];
    const folder = await copyOf('high-availability', {
      ...{ '127.0.0.11': one, '127.0.0.12': two, '127.0.0.13': three, '127.0.0.1': proxy },
    });
    if (SERVER_USER.uid !== undefined) {
      for (const path of [dirname(folder), folder]) await chown(path, SERVER_USER.uid, SERVER_USER.gid);
    }
    const env = { NODE_MAIN: MAIN, HOME: folder };
    const running = runCommand(['./start.sh'], { cwd: folder, env, user: SERVER_USER });
    const text = await readFile(join(folder, 'cluster.env'), 'utf8');
    const token = /^OPERATOR_TOKEN=(.*)$/m.exec(text)?.[1] ?? '';
    const cluster = new HighAvailability(folder, { one, two, three }, token, running, proxy);
    // Whatever the script has left, or a test has started beside it.
    cleanup(() => {
      cluster.goOn();
      return Promise.all(MACHINES.map((machine) => cluster.killMachine(machine)));
    });
    await cluster.isWhole();
    await waitFor(async () => (await fetch(`${cluster.url}/health?need=writes`)).ok, {
      timeoutMs: 30_000,
      describe: running.said,
    });
    return cluster;
  }

  /** For messages: what all that runs has said lately. */
  lastWords(): string {
    return this.running
      .said()
      .split('\n')
      .filter((line) => !/"audit"|no action|Lock owner/.test(line))
      .slice(-60)
      .join('\n');
  }

  node(machine: Machine): string {
    return `http://${this.addresses[machine]}:3000`;
  }

  /** As the members of the cluster see it that answer. */
  async members(): Promise<readonly Member[]> {
    const asked = MACHINES.map(async (machine) => {
      const signal = AbortSignal.timeout(2_000);
      const answer = await fetch(`http://${this.addresses[machine]}:8008/cluster`, { signal });
      return ((await answer.json()) as { members: Member[] }).members;
    });
    return Promise.any(asked);
  }

  async primary(): Promise<Machine> {
    const leader = (await this.members()).find(({ role }) => role === 'leader');
    if (!leader) throw new Error('there is no primary');
    return leader.name;
  }

  /** Waits until there are a primary and two standbys that follow it, one of them synchronous. */
  async isWhole(): Promise<void> {
    let seen: unknown;
    await waitFor(
      async () => {
        const members = await this.members();
        seen = members;
        const timelines = new Set(members.map(({ timeline }) => timeline));
        const roles = members.map(({ role }) => role).sort();
        const isRunning = members.every(({ state, lag = 0 }) => state === 'running' && lag === 0);
        return isRunning && timelines.size === 1 && roles.join() === 'leader,replica,sync_standby';
      },
      { timeoutMs: 90_000, describe: () => `three servers: ${JSON.stringify(seen)}\n${this.lastWords()}` },
    );
  }

  /** Makes another server the primary, as for maintenance. Resolves when it is done. */
  async switchOver(): Promise<void> {
    const leader = await this.primary();
    const answer = await fetch(`http://${this.addresses[leader]}:8008/switchover`, {
      method: 'POST',
      body: JSON.stringify({ leader }),
    });
    if (!answer.ok) throw new Error(`the switchover was answered ${answer.status}: ${await answer.text()}`);
  }

  async killServer(machine: Machine): Promise<void> {
    const server = await this.#server(machine);
    if (server === undefined) throw new Error(`no server runs on ${machine}`);
    send(server, 'SIGKILL');
  }

  /** The id of the first process of PostgreSQL on a machine, if it runs. */
  async #server(machine: Machine): Promise<number | undefined> {
    const data = join(this.#data(machine), 'postgres');
    return runningIn(data, join(data, 'postmaster.pid'));
  }

  /** As a power cut: etcd, Patroni, PostgreSQL and the node at once. */
  async killMachine(machine: Machine): Promise<void> {
    const group = await runningIn(this.folder, join(this.#data(machine), 'pid'));
    if (group !== undefined) send(-group, 'SIGKILL');
    // PostgreSQL is a group of its own; its other processes notice that the first one is gone, and end at once.
    const server = await this.#server(machine);
    if (server !== undefined) send(server, 'SIGKILL');
  }

  /** PostgreSQL does nothing any more, and nobody hears that it has ended. */
  async pauseServer(machine: Machine): Promise<void> {
    const server = await this.#server(machine);
    if (server === undefined) throw new Error(`no server runs on ${machine}`);
    this.#paused.push(await paused(server));
  }

  /** As a virtual machine that is moved. */
  async pauseMachine(machine: Machine): Promise<void> {
    const script = await runningIn(this.folder, join(this.#data(machine), 'pid'));
    if (script === undefined) throw new Error(`nothing runs on ${machine}`);
    this.#paused.push(await paused(script));
    // Patroni starts PostgreSQL as nobody's child.
    await this.pauseServer(machine);
  }

  goOn(): void {
    for (const goOn of this.#paused.splice(0)) goOn();
  }

  #data(machine: Machine): string {
    return join(this.folder, 'data', machine);
  }

  /** After it was killed. */
  startMachine(machine: Machine): void {
    const child = spawn('./machine.sh', [machine], {
      ...{ cwd: this.folder, env: bareEnv({ NODE_MAIN: MAIN, HOME: this.folder }) },
      ...{ ...SERVER_USER, detached: true, stdio: 'ignore' },
    });
    void exitOf(child);
  }
}

/** The process whose id is in the first line of a file; undefined when it has ended, even if another one has its id now. */
async function runningIn(folder: string, file: string): Promise<number | undefined> {
  const text = await readFile(file, 'utf8').catch(() => '');
  const pid = Number.parseInt(text, 10);
  const at = await readlink(`/proc/${pid}/cwd`).catch(() => undefined);
  return at === folder ? pid : undefined;
}
