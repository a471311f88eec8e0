import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { heldPort } from '../../test/support/held-port.js';

const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
const TOKEN = 'benchmark-operator-token';
/** Sources are polled when the benchmark says so, and not because of hints. */
const NEVER = { schedule: '0 0 1 1 *', maxBytes: 2_000_000_000, timeoutSeconds: 3600, streams: 0 };

/** A node as operators run it: the built program, with a configuration and a data directory of its own. */
export class NodeProcess {
  readonly #process: ChildProcess;

  private constructor(
    process: ChildProcess,
    readonly port: number,
    /** From the start of the process to the first answer, in ms. */
    readonly startMs: number,
  ) {
    this.#process = process;
  }

  /** Starts it in a directory, and waits until it has answered a request for components. */
  static async start(
    directory: string,
    config: object,
    env: Readonly<Record<string, string>> = {},
  ): Promise<NodeProcess> {
    mkdirSync(directory, { recursive: true });
    const file = join(directory, 'node.config.json');
    const port = await heldPort();
    const whole = { listen: { port }, baseUrl: `http://127.0.0.1:${port}`, sync: NEVER, ...config };
    writeFileSync(file, JSON.stringify(whole));
    const started = performance.now();
    const child = spawn(process.execPath, [MAIN, 'serve', '--config', file], {
      env: { ...process.env, REGISTRY_OPERATOR_TOKEN: TOKEN, ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await answering(child, `http://127.0.0.1:${port}/component?limit=1`);
    return new NodeProcess(child, port, performance.now() - started);
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  get pid(): number {
    return this.#process.pid ?? 0;
  }

  /** Polls a source now; how long that takes until it is stored and served, in ms. */
  async sync(source: string): Promise<number> {
    const started = performance.now();
    const answer = await fetch(`${this.url}/sync?source=${encodeURIComponent(source)}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${TOKEN}` },
    });
    const reports = (await answer.json()) as { ok: boolean }[];
    if (!answer.ok || !reports.every(({ ok }) => ok))
      throw new Error(`the poll failed: ${JSON.stringify(reports)}`);
    return performance.now() - started;
  }

  async post(components: object): Promise<void> {
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify(components);
    const answer = await fetch(`${this.url}/component`, { method: 'POST', headers, body });
    if (!answer.ok) throw new Error(`the post was answered ${answer.status}: ${await answer.text()}`);
    await answer.text();
  }

  /** The longest time that its event loop has been busy since this was asked last, in ms. */
  async longestStall(): Promise<number> {
    const text = await (await fetch(`${this.url}/metrics`)).text();
    return Number(/^nodejs_eventloop_lag_max_seconds (\S+)/m.exec(text)?.[1]) * 1000;
  }

  /** Resident memory in MB. */
  memory(): number {
    return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${this.pid}/status`, 'utf8'))?.[1]) / 1024;
  }

  /** Processor time that all its threads have taken so far, in s; counted in steps of 10 ms. */
  cpu(): number {
    const stat = readFileSync(`/proc/${this.pid}/stat`, 'utf8');
    // Behind the name in brackets, which may hold spaces: user and system time are the 14th and 15th of all fields.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) / 100;
  }

  async stop(): Promise<void> {
    const ended = once(this.#process, 'exit');
    this.#process.kill();
    await ended;
  }
}

/** Asking all the time would slow a start down: a node writes a line when it has loaded, and then it must answer. */
async function answering(child: ChildProcess, url: string): Promise<void> {
  let last = '';
  await new Promise<void>((resolve, reject) => {
    child.stdout?.on('data', (chunk) => {
      if (`${last}${chunk}`.includes('"listening"')) resolve();
      last = String(chunk);
    });
    child.on('exit', () => reject(new Error(`the node ended before it listened: ${last}`)));
  });
  const answer = await fetch(url);
  await answer.text();
  if (!answer.ok) throw new Error(`the node says that it listens, and answers ${answer.status}`);
}
