/** What a network costs: what goes over its wires, and how long changes take. */
import { createHash } from 'node:crypto';
import { sourceKey } from '../../src/component/source.js';
import type { Reading } from './keep.js';
import type { Observer, Traffic } from './network.js';
import type { VirtualTime } from './time.js';

/** Requests; those that pods got; and bytes of both. */
const NOTHING = { requests: 0, bytes: 0, podRequests: 0, podBytes: 0 };

/** What went over the wires in some time. */
export type CostFigures = Readonly<typeof NOTHING>;

/** How long changes take until nodes have stored them, in ms, over all changes and all nodes that read the pod. */
export interface SpreadFigures {
  readonly median: number;
  readonly worst: number;
  /** Changes that were measured. */
  readonly changes: number;
}

/** A change in a pod, and the nodes that have not heard of it. */
interface Spreading {
  readonly pod: string;
  /** Absent when the document was deleted. */
  readonly label: string | undefined;
  readonly since: number;
  readonly waiting: Set<string>;
}

/** Counts what goes over the wires, and writes the log of it. Two runs are the same when their logs have the same hash. */
export class RunLog implements Observer {
  readonly #hash = createHash('sha256');
  readonly #time: VirtualTime;
  readonly #pods: ReadonlySet<string>;
  readonly #write: (line: string) => void;
  #figures = { ...NOTHING };
  #times: number[] = [];
  #changes = 0;
  /** The latest change of each document. */
  readonly #spreading = new Map<string, Spreading>();
  /** The nodes that have read a pod. */
  readonly #readers = new Map<string, Set<string>>();

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

  /** The same of the time that changes took. */
  takeSpread(): SpreadFigures {
    const times = this.#times.sort((one, other) => one - other);
    const changes = this.#changes;
    [this.#times, this.#changes] = [[], 0];
    return { median: times[times.length >> 1] ?? 0, worst: times.at(-1) ?? 0, changes };
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

  /** A document of a pod was written, or deleted. What was said of it before is measured no longer. */
  changed(pod: string, document: string, label: string | undefined): void {
    const waiting = new Set(this.#readers.get(`pod ${pod}`));
    this.#spreading.set(document, { pod, label, since: this.#time.now, waiting });
    this.#changes += 1;
  }

  /** A node has stored what it has read. */
  committed(node: string, { source, put, dropped }: Reading): void {
    const readers = this.#readers.get(sourceKey(source)) ?? new Set();
    this.#readers.set(sourceKey(source), readers.add(node));
    const told = [...put, ...dropped.map(({ document }) => ({ document, label: undefined }))];
    for (const { document, label } of told) {
      const change = this.#spreading.get(document);
      if (change?.pod !== source.url || change.label !== label || !change.waiting.delete(node)) continue;
      this.#times.push(this.#time.now - change.since);
    }
  }
}
