/** What a network costs: what goes over its wires, and how long changes take. */
import { createHash } from 'node:crypto';
import type { NetworkObserver, Traffic } from './network.js';
import type { SimulatedNode } from './node.js';
import { HOUR, type VirtualTime } from './time.js';

/** Requests; those that pods got; and bytes of both. */
const NOTHING = { requests: 0, bytes: 0, podRequests: 0, podBytes: 0 };

/** What went over the wires in some time. */
export type CostFigures = Readonly<typeof NOTHING>;

/** Counts what goes over the wires, and writes the log of it. Two runs are the same when their logs have the same hash. */
export class RunLog implements NetworkObserver {
  readonly #hash = createHash('sha256');
  readonly #time: VirtualTime;
  readonly #pods: ReadonlySet<string>;
  readonly #write: (line: string) => void;
  #figures = { ...NOTHING };

  /** @param pods names of their hosts */
  constructor(time: VirtualTime, pods: Iterable<string>, write: (line: string) => void) {
    this.#time = time;
    this.#pods = new Set(pods);
    this.#write = write;
  }

  note(text: string): void {
    const line = `${this.#time.elapsed} ${text}\n`;
    this.#hash.update(line);
    this.#write(line);
  }

  /** Hexadecimal; nothing can be noted afterwards. */
  digest(): string {
    return this.#hash.digest('hex');
  }

  /** What was counted since the last time that this was called. */
  take(): CostFigures {
    const figures = this.#figures;
    this.#figures = { ...NOTHING };
    return figures;
  }

  exchanged({ from, method, to, target, status, bytes }: Traffic): void {
    this.note(`${from} ${method} ${to}${target} ${status} ${bytes}`);
    this.#figures.requests += 1;
    this.#figures.bytes += bytes;
    if (!this.#pods.has(to)) return;
    this.#figures.podRequests += 1;
    this.#figures.podBytes += bytes;
  }

  carried(from: string, target: string, bytes: number): void {
    this.note(`${from} hears ${bytes} bytes of ${target}`);
  }
}

/** How long changes take until nodes answer with them, in ms, over all changes and all nodes that read the pod. */
export interface SpreadFigures {
  readonly median: number;
  readonly worst: number;
  /** Changes that were measured. */
  readonly changes: number;
}

/** A change in a pod that is not everywhere yet. */
interface Spreading {
  readonly pod: string;
  readonly document: string;
  /** Absent when the document was deleted. */
  readonly label: string | undefined;
  readonly since: number;
  readonly waiting: Set<SimulatedNode>;
}

/** How often nodes are looked at, and for how long, in ms. */
const EVERY = 250;
const LONGEST = 4 * HOUR;

/** Measures how long changes in pods take to the nodes that read them. */
export class SpreadTimes {
  readonly #time: VirtualTime;
  #times: number[] = [];
  #spreading: Spreading[] = [];
  #isLooking = false;
  #changes = 0;

  constructor(time: VirtualTime) {
    this.#time = time;
  }

  /** A document was written, or deleted. What was said of it before is measured no longer. */
  async changed(nodes: readonly SimulatedNode[], changed: Pick<Spreading, 'pod' | 'document' | 'label'>) {
    const waiting = new Set<SimulatedNode>();
    for (const node of nodes) {
      const { sources } = await node.storage.stored();
      if (sources.get(`pod ${changed.pod}`)?.record.lastSuccess) waiting.add(node);
    }
    this.#spreading = this.#spreading.filter((one) => one.document !== changed.document);
    this.#spreading.push({ ...changed, since: this.#time.now, waiting });
    this.#changes += 1;
    if (!this.#isLooking) void this.#look();
  }

  /** Of the changes since the last time that this was called. */
  take(): SpreadFigures {
    const times = this.#times.sort((one, other) => one - other);
    const changes = this.#changes;
    [this.#times, this.#changes] = [[], 0];
    return { median: times[times.length >> 1] ?? 0, worst: times.at(-1) ?? 0, changes };
  }

  async #look(): Promise<void> {
    this.#isLooking = true;
    const now = this.#time.now;
    for (const { waiting, pod, document, label, since } of this.#spreading) {
      for (const node of waiting) {
        const said = await node.storage.saidBy({ kind: 'pod', url: pod });
        if (said.find((one) => one.document === document)?.label !== label) continue;
        waiting.delete(node);
        this.#times.push(now - since);
      }
    }
    const oldest = now - LONGEST;
    this.#spreading = this.#spreading.filter(({ waiting, since }) => waiting.size > 0 && since > oldest);
    this.#isLooking = this.#spreading.length > 0;
    if (this.#isLooking) this.#time.after(EVERY, () => void this.#look());
  }
}
