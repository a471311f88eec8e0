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
}

/** How often nodes are looked at, and for how long, in ms. */
const EVERY = 250;
const LONGEST = 4 * 3_600_000;

/** Measures how long changes in pods take to the nodes that read them. */
export class SpreadTimes {
  readonly #time: VirtualTime;
  readonly #nodes: readonly SimulatedNode[];
  readonly #times: number[] = [];
  #spreading: Spreading[] = [];
  #isLooking = false;
  #changes = 0;

  constructor(time: VirtualTime, nodes: readonly SimulatedNode[]) {
    this.#time = time;
    this.#nodes = nodes;
  }

  /** A document was written, or deleted. What was said of it before is measured no longer. */
  changed(pod: string, document: string, label: string | undefined): void {
    this.#spreading = this.#spreading.filter((one) => one.document !== document);
    const readers = this.#nodes.filter(({ data }) => data.sources.get(`pod ${pod}`)?.record.lastSuccess);
    const waiting = new Set(readers);
    this.#spreading.push({ pod, document, label, since: this.#time.now, waiting });
    this.#changes += 1;
    if (!this.#isLooking) this.#look();
  }

  take(): SpreadFigures {
    const times = this.#times.splice(0).sort((one, other) => one - other);
    const at = (part: number) => times[Math.min(times.length - 1, Math.floor(times.length * part))] ?? 0;
    const changes = this.#changes;
    this.#changes = 0;
    return { median: at(0.5), p99: at(0.99), worst: at(1), changes };
  }

  #look(): void {
    this.#isLooking = true;
    for (const one of this.#spreading) {
      for (const node of one.waiting) {
        if (!holds(node, one)) continue;
        one.waiting.delete(node);
        this.#times.push(this.#time.now - one.since);
      }
    }
    const oldest = this.#time.now - LONGEST;
    this.#spreading = this.#spreading.filter(({ waiting, since }) => waiting.size > 0 && since > oldest);
    if (this.#spreading.length === 0) this.#isLooking = false;
    else this.#time.after(EVERY, () => this.#look());
  }
}

function holds(node: SimulatedNode, { pod, document, label }: Spreading): boolean {
  const components = node.data.sources.get(`pod ${pod}`)?.documents.get(document)?.components;
  const [said] = components?.values() ?? [];
  return said?.metadata.label === label;
}
