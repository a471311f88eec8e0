import { LOCAL, type Source } from '../../../src/component/source.js';
import { parseCursor } from '../../../src/core/cursor.js';
import type { Truth } from '../model/truth.js';
import type { SimulatedNode } from '../nodes/simulated-node.js';
import type { Reading, Said } from '../nodes/stored.js';
import { Violation } from './violation.js';

/** A poll may have read something so long before it is committed, in ms. */
const LONGEST_POLL = 30 * 60_000;
/** A peer may change while it is read: so many repairs are nobody's fault, and so many more for each fault, by node. */
const REPAIRS = { calm: 4, fault: 3 };
/** So many removals, of so much of what a source has said, are not believed at once. */
const HELD = { components: 20, part: 0.5 };

/** So soon every process has noticed that the database has lost commits, in ms. */
const NOTICED = 15_000;

export interface KeeperParts {
  readonly truth: Truth;
  /** Ms since the simulation began. */
  readonly elapsed: () => number;
  readonly nodes: number;
  /** Faults that have begun. */
  readonly faults: () => number;
}

/**
 * Watches what nodes commit while things go wrong: what a source has said stays until it says otherwise, whatever fails
 * meanwhile. Counts how often peers are read anew.
 */
export class Keeper {
  readonly #parts: KeeperParts;
  #found: Violation | undefined;
  #repairs = 0;

  constructor(parts: KeeperParts) {
    this.#parts = parts;
  }

  /** Sources of peers, and whole peers, that were read anew since the beginning. */
  get repairs(): number {
    return this.#repairs;
  }

  /** @throws Violation when there was one */
  async check(all: readonly SimulatedNode[]): Promise<void> {
    if (this.#found) throw this.#found;
    const { elapsed, nodes, faults } = this.#parts;
    for (const node of all) {
      const lost = node.storage.isShared ? await astray(node) : undefined;
      if (lost)
        throw new Violation(
          'history',
          elapsed(),
          `${node.name} tells of ${lost}, which its database has lost`,
        );
    }
    const most = REPAIRS.calm + REPAIRS.fault * nodes * faults();
    if (this.#repairs <= most) return;
    throw new Violation('repairs', elapsed(), `${this.#repairs} repairs after ${faults()} faults`);
  }

  committed({ name }: SimulatedNode, { source, dropped, held, repairs }: Reading): void {
    this.#repairs += repairs;
    const lost = dropped.filter((one) => this.#isSaid(source, one));
    const [first] = lost;
    if (!first || this.#isBelieved(source, held, lost.length)) return;
    const message = `${name} drops ${first.uri} of ${first.document}, which ${source.url} still says`;
    this.#found ??= new Violation('kept', this.#parts.elapsed(), message);
  }

  overtaken(node: string, source: string): void {
    const message = `${node} stores an older reading of ${source} over a later one`;
    this.#found ??= new Violation('order', this.#parts.elapsed(), message);
  }

  /** Has a source said it all the time since a poll can have begun? Of what a peer has read elsewhere, nothing is asked. */
  #isSaid({ kind, url }: Source, { document, uri }: Said): boolean {
    const { truth, elapsed } = this.#parts;
    const since = elapsed() - LONGEST_POLL;
    if (kind === 'pod') return truth.isSaid(url, document, uri, since);
    return document.endsWith(`:${encodeURIComponent(LOCAL.url)}`) && truth.isPosted(url, uri, since);
  }

  /** A pod that says that it holds nothing is believed where that is little. */
  #isBelieved(source: Source, held: number, lost: number): boolean {
    const { truth, elapsed } = this.#parts;
    if (!truth.wasSilent(source.url, elapsed() - LONGEST_POLL)) return false;
    return !(lost > HELD.components && held - lost < held * HELD.part);
  }
}

/** A state of which a process tells that was lost some time ago. */
async function astray(node: SimulatedNode): Promise<string | undefined> {
  const { storage, stored, processes } = node;
  if (storage.age < NOTICED) return undefined;
  for (const process of processes.filter((one) => one.awakeFor >= NOTICED)) {
    const told = await node.told(process);
    const cursor = parseCursor(told ?? '');
    if (!cursor || cursor.position === 0) continue;
    if (cursor.epoch !== storage.head.epoch || !stored.remembers(cursor)) return told;
  }
  return undefined;
}
