import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { heldPort } from '../../test/support/held-port.js';
import type { LoadOrder, LoadResult } from './load-client.js';

const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
export const OPERATOR_TOKEN = 'benchmark-operator-token';

/** A process of the benchmark that answers what it is asked, one thing at a time. */
export class Worker {
  readonly #process: ChildProcess;

  constructor(script: string, args: readonly string[] = []) {
    this.#process = fork(fileURLToPath(new URL(script, import.meta.url)), args, {
      serialization: 'advanced',
    });
  }

  async ask<T>(order: object): Promise<T> {
    const answered = this.told<{ result?: T; error?: string }>();
    this.#process.send(order);
    const { result, error } = await answered;
    if (error !== undefined) throw new Error(error);
    return result as T;
  }

  /** The next thing that it says. */
  async told<T>(): Promise<T> {
    const ended = new AbortController();
    const gone = once(this.#process, 'exit', { signal: ended.signal }).then(([code]) => {
      throw new Error(`a process of the benchmark ended with ${code}`);
    });
    const [message] = await Promise.race([once(this.#process, 'message'), gone]);
    gone.catch(() => undefined);
    ended.abort();
    return message as T;
  }

  get pid(): number {
    return this.#process.pid ?? 0;
  }

  stop(): void {
    this.#process.kill();
  }
}

export function load(client: Worker, order: LoadOrder): Promise<LoadResult> {
  return client.ask<LoadResult>(order);
}

/** A node as operators run it: the built program, with a configuration and a data directory of its own. */
export class NodeProcess {
  readonly port: number;
  readonly pid: number;
  /** From the start of the process to the first answer, in ms. */
  readonly startMs: number;
  readonly #process: ChildProcess;

  private constructor(process: ChildProcess, port: number, startMs: number) {
    this.#process = process;
    this.pid = process.pid ?? 0;
    this.port = port;
    this.startMs = startMs;
  }

  /** Starts it, and waits until it has answered a request for components. */
  static async start(
    directory: string,
    config: object,
    nodeArgs: readonly string[] = [],
    env: Readonly<Record<string, string>> = {},
  ): Promise<NodeProcess> {
    mkdirSync(directory, { recursive: true });
    const file = join(directory, 'node.config.json');
    const port = await heldPort();
    const whole = { listen: { port }, baseUrl: 'http://node.example', sync: NEVER, ...config };
    writeFileSync(file, JSON.stringify(whole));
    const started = performance.now();
    const child = spawn(process.execPath, [...nodeArgs, MAIN, 'serve', '--config', file], {
      env: { ...process.env, REGISTRY_OPERATOR_TOKEN: OPERATOR_TOKEN, ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    // Asking all the time would slow it down: it says when there are answers.
    await said(child, '"listening"');
    if (!(await answers(port))) throw new Error('the node says that it listens, and does not answer');
    return new NodeProcess(child, port, performance.now() - started);
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Polls a source now; how long that takes until it is stored, in ms. */
  async sync(source: string): Promise<number> {
    const started = performance.now();
    const response = await fetch(`${this.url}/sync?source=${encodeURIComponent(source)}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${OPERATOR_TOKEN}` },
    });
    const reports = (await response.json()) as { ok: boolean; error?: string }[];
    if (!response.ok || !reports.every(({ ok }) => ok))
      throw new Error(`the poll failed: ${JSON.stringify(reports)}`);
    return performance.now() - started;
  }

  /** A figure of `/metrics`. Asking resets the longest stall. */
  async metric(name: string): Promise<number> {
    const text = await (await fetch(`${this.url}/metrics`)).text();
    return Number(text.match(new RegExp(`^${name}(?:{[^}]*})? (\\S+)`, 'm'))?.[1] ?? Number.NaN);
  }

  async size(): Promise<number> {
    return this.metric('registry_components');
  }

  /** Resident memory now, and at its highest, in MB. */
  memory(): { now: number; highest: number } {
    const status = readFileSync(`/proc/${this.pid}/status`, 'utf8');
    const mb = (key: string) => Number(status.match(new RegExp(`^${key}:\\s+(\\d+)`, 'm'))?.[1]) / 1024;
    return { now: mb('VmRSS'), highest: mb('VmHWM') };
  }

  /** Processor time that all its threads have taken so far, in ms; counted in steps of 10. */
  cpu(): number {
    const stat = readFileSync(`/proc/${this.pid}/stat`, 'utf8');
    // Behind the name in brackets, which may hold spaces: user and system time are the 14th and 15th of all fields.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) * 10;
  }

  /** How it learns what has changed at a peer. */
  async following(peer: string): Promise<{ by?: string; why?: string }> {
    const status = (await (await fetch(`${this.url}/status`)).json()) as {
      sources: { url: string; following?: { by: string; why?: string } }[];
    };
    return status.sources.find(({ url }) => url === peer)?.following ?? {};
  }

  /** Files and sockets that it holds open. */
  handles(): number {
    return readdirSync(`/proc/${this.pid}/fd`).length;
  }

  async stop(): Promise<void> {
    const ended = once(this.#process, 'exit');
    this.#process.kill('SIGTERM');
    await ended;
  }
}

/** Sources are polled when the benchmark says so. */
const NEVER = { schedule: '0 0 1 1 *', maxBytes: 2_000_000_000, timeoutSeconds: 3600 };

/** Waits until a process has written something. */
function said(child: ChildProcess, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    let last = '';
    child.stdout?.on('data', (chunk) => {
      if (`${last}${chunk}`.includes(text)) resolve();
      last = String(chunk);
    });
    child.on('exit', () => reject(new Error(`the node ended before it said ${text}: ${last}`)));
  });
}

async function answers(port: number): Promise<boolean> {
  return fetch(`http://127.0.0.1:${port}/component?limit=1`).then(
    async (response) => (await response.text()) !== '' && response.ok,
    () => false,
  );
}
