import { mkdirSync, readFileSync } from 'node:fs';
import { heldPort } from '../../test/support/held-port.js';
import { NodeProcess } from '../../test/support/node/node-process.js';
import { askAsOperator, metric } from '../../test/support/node/node-reader.js';
import { postJson } from '../../test/support/node/post-json.js';

/** Sources are polled when the benchmark says so, and not because of hints. */
const LARGE = { maxBytes: 2_000_000_000, timeoutSeconds: 3600, streams: 0 };

/** A node as operators run it, and what it costs. */
export class MeasuredNode extends NodeProcess {
  /** From the start of the process to the first answer, in ms. */
  startMs = Number.NaN;

  /** Starts it in a directory, and waits until it has answered a request for components. */
  static async start(directory: string, config: object, env: Readonly<Record<string, string>>) {
    mkdirSync(directory, { recursive: true });
    const port = await heldPort();
    const place = { listen: { port }, baseUrl: `http://127.0.0.1:${port}`, connection: { enabled: true } };
    const settings = { ...place, write: 'operator', sync: LARGE, ...config };
    const node = new MeasuredNode(directory, { config: settings, env });
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
    const text = await askAsOperator(this, `/sync?source=${encodeURIComponent(source)}`, { method: 'POST' });
    const reports = JSON.parse(text) as { ok: boolean }[];
    if (!reports.every(({ ok }) => ok)) throw new Error(`the poll failed: ${text}`);
    return performance.now() - began;
  }

  async post(components: object): Promise<void> {
    await askAsOperator(this, '/component', postJson(components));
  }

  /** The longest time that its event loop has been busy since this was asked last, in ms. */
  async longestStall(): Promise<number> {
    return 1000 * (await metric(this, 'nodejs_eventloop_lag_max_seconds'));
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
