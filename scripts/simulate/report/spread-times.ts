import type { SimulatedNode } from '../nodes/simulated-node.js';
import type { VirtualTime } from '../time/virtual-time.js';

/** A change in a pod that is not everywhere yet. */
interface Spreading {
  readonly pod: string;
  readonly document: string;
  /** Absent when the document was deleted. */
  readonly label: string | undefined;
  readonly since: number;
  readonly waiting: Set<SimulatedNode>;
}

/** How long changes take until nodes answer with them, in ms. */
export interface SpreadFigures {
  /** Over all changes and all nodes that read the pod. */
  readonly median: number;
  readonly p99: number;
  readonly worst: number;
  /** Changes that were measured. */
  readonly changes: number;
  /** The same of deletions alone: how long what was deleted was still there. */
  readonly forgetting: { readonly median: number; readonly worst: number; readonly deletions: number };
}

/** How often nodes are looked at, and for how long, in ms. */
const EVERY = 250;
const LONGEST = 4 * 3_600_000;

/** Measures how long changes in pods take to the nodes that read them. */
export class SpreadTimes {
  readonly #time: VirtualTime;
  readonly #nodes: readonly SimulatedNode[];
  readonly #times: number[] = [];
  /** Those of deletions, among them. */
  readonly #forgotten: number[] = [];
  #spreading: Spreading[] = [];
  #isLooking = false;
  #changes = 0;
  #deletions = 0;

  constructor(time: VirtualTime, nodes: readonly SimulatedNode[]) {
    this.#time = time;
    this.#nodes = nodes;
  }

  /** A document was written, or deleted. What was said of it before is measured no longer. */
  changed(pod: string, document: string, label: string | undefined): void {
    this.#spreading = this.#spreading.filter((one) => one.document !== document);
    const readers = this.#nodes.filter(({ stored }) => stored.sources.get(`pod ${pod}`)?.record.lastSuccess);
    const waiting = new Set(readers);
    this.#spreading.push({ pod, document, label, since: this.#time.now, waiting });
    this.#changes += 1;
    if (label === undefined) this.#deletions += 1;
    if (!this.#isLooking) this.#look();
  }

  take(): SpreadFigures {
    const at = quantiles(this.#times.splice(0));
    const forgotten = quantiles(this.#forgotten.splice(0));
    const [changes, deletions] = [this.#changes, this.#deletions];
    this.#changes = 0;
    this.#deletions = 0;
    const forgetting = { median: forgotten(0.5), worst: forgotten(1), deletions };
    return { median: at(0.5), p99: at(0.99), worst: at(1), changes, forgetting };
  }

  #look(): void {
    this.#isLooking = true;
    for (const one of this.#spreading) {
      for (const node of one.waiting) {
        if (!holds(node, one)) continue;
        one.waiting.delete(node);
        this.#times.push(this.#time.now - one.since);
        if (one.label === undefined) this.#forgotten.push(this.#time.now - one.since);
      }
    }
    const oldest = this.#time.now - LONGEST;
    this.#spreading = this.#spreading.filter(({ waiting, since }) => waiting.size > 0 && since > oldest);
    if (this.#spreading.length === 0) this.#isLooking = false;
    else this.#time.after(EVERY, () => this.#look());
  }
}

/** The time within which a part of all were through; 0 of none. */
function quantiles(times: number[]): (part: number) => number {
  times.sort((one, other) => one - other);
  return (part) => times[Math.min(times.length - 1, Math.floor(times.length * part))] ?? 0;
}

function holds(node: SimulatedNode, { pod, document, label }: Spreading): boolean {
  const said = node.stored.saidBy({ kind: 'pod', url: pod }).find((one) => one.document === document);
  return said?.label === label;
}
