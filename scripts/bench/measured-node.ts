import { mkdirSync, readFileSync } from 'node:fs';
import { heldPort } from '../../test/support/held-port.js';
import { OPERATOR_TOKEN } from '../../test/support/node/node-options.js';
import { NodeProcess } from '../../test/support/node/node-process.js';
import { postJson } from '../../test/support/node/post-json.js';

/** Sources are polled when the benchmark says so, and not because of hints. */
const NEVER = { schedule: '0 0 1 1 *', maxBytes: 2_000_000_000, timeoutSeconds: 3600, streams: 0 };

/** A node as operators run it, and what it costs. */
export class MeasuredNode extends NodeProcess {
  /** From the start of the process to the first answer, in ms. */
  startMs = Number.NaN;

  /** Starts it in a directory, and waits until it has answered a request for components. */
  static async start(directory: string, config: object, env: Readonly<Record<string, string>> = {}) {
    mkdirSync(directory, { recursive: true });
    const port = await heldPort();
    const place = { listen: { port }, baseUrl: `http://127.0.0.1:${port}`, connection: { enabled: true } };
    const node = new MeasuredNode(directory, {
      config: { ...place, sync: NEVER, ...config },
      env: { REGISTRY_OPERATOR_TOKEN: OPERATOR_TOKEN, ...env },
    });
    const began = performance.now();
    // Asking all the time would slow a start down: a node writes a line when it has loaded, and then it must answer.
    await node.start();
    await node.getJson('/component?limit=1');
    node.startMs = performance.now() - began;
    return node;
  }

  /** Polls a source now; how long that takes until it is stored and served, in ms. */
  async sync(source: string): Promise<number> {
    const began = performance.now();
    const headers = { authorization: `Bearer ${OPERATOR_TOKEN}` };
    const target = `${this.url}/sync?source=${encodeURIComponent(source)}`;
    const answer = await fetch(target, { method: 'POST', headers });
    const reports = (await answer.json()) as { ok: boolean }[];
    if (!answer.ok || !reports.every(({ ok }) => ok))
      throw new Error(`the poll failed: ${JSON.stringify(reports)}`);
    return performance.now() - began;
  }

  async post(components: object): Promise<void> {
    const answer = await fetch(`${this.url}/component`, postJson(components));
    const text = await answer.text();
    if (!answer.ok) throw new Error(`the post was answered ${answer.status}: ${text}`);
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
}
