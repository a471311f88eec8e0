import { LOCAL, type Source } from '../../../src/component/source.js';
import type { SourceChange } from '../../../src/registry/source-change.js';
import { type MemoryData, saidBy } from '../../../src/store/memory/memory-data.js';
import type { Truth } from '../model/truth.js';
import type { SimulatedNode } from '../nodes/simulated-node.js';
import type { Committed } from '../nodes/storage.js';
import { Violation } from './violation.js';

/** A poll may have read something so long before it is committed, in ms. */
const LONGEST_POLL = 30 * 60_000;
/** A peer may change while it is read: so many repairs are nobody's fault, and so many more for each fault, by node. */
const REPAIRS = { calm: 4, fault: 3 };
/** So many removals, of so much of what a source has said, are not believed at once. */
const HELD = { components: 20, part: 0.5 };

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
  check(all: readonly SimulatedNode[]): void {
    if (this.#found) throw this.#found;
    const { elapsed, nodes, faults } = this.#parts;
    for (const { name, storage } of all) {
      const lost = storage.astray?.();
      if (lost)
        throw new Violation('history', elapsed(), `${name} tells of ${lost}, which its database has lost`);
    }
    const most = REPAIRS.calm + REPAIRS.fault * nodes * faults();
    if (this.#repairs <= most) return;
    throw new Violation('repairs', elapsed(), `${this.#repairs} repairs after ${faults()} faults`);
  }

  committed(node: SimulatedNode, { change, before, after }: Committed): void {
    this.#repairs += repairsOf(after, change.source) - repairsOf(before, change.source);
    const lost = lostIn(change, before, after).filter((one) => this.#isSaid(change.source, one));
    const [first] = lost;
    if (!first || this.#isBelieved(change.source, before, lost.length)) return;
    const message = `${node.name} drops ${first.uri} of ${first.document}, which ${change.source.url} still says`;
    this.#found ??= new Violation('kept', this.#parts.elapsed(), message);
  }

  overtaken(node: string, source: string): void {
    const message = `${node} stores an older reading of ${source} over a later one`;
    this.#found ??= new Violation('order', this.#parts.elapsed(), message);
  }

  /** Has a source said it all the time since a poll can have begun? Of what a peer has read elsewhere, nothing is asked. */
  #isSaid({ kind, url }: Source, { document, uri }: Lost): boolean {
    const { truth, elapsed } = this.#parts;
    const since = elapsed() - LONGEST_POLL;
    if (kind === 'pod') return truth.isSaid(url, document, uri, since);
    return document.endsWith(`:${encodeURIComponent(LOCAL.url)}`) && truth.isPosted(url, uri, since);
  }

  /** A pod that says that it holds nothing is believed where that is little. */
  #isBelieved(source: Source, before: MemoryData, lost: number): boolean {
    const { truth, elapsed } = this.#parts;
    if (!truth.wasSilent(source.url, elapsed() - LONGEST_POLL)) return false;
    const held = [...saidBy(before, source).values()].flat().length;
    return !(lost > HELD.components && held - lost < held * HELD.part);
  }
}

interface Lost {
  readonly document: string;
  readonly uri: string;
}

/** The statements that are there no more after a change. */
function lostIn({ source, documents }: SourceChange, before: MemoryData, after: MemoryData): Lost[] {
  if (documents.length === 0 || before.statements === after.statements) return [];
  const changed = new Set(documents.map(({ url }) => url));
  const said = (data: MemoryData) =>
    [...saidBy(data, source)].flatMap(([document, statements]) => (changed.has(document) ? statements : []));
  const left = new Set(said(after).map(({ document, uri }) => `${document} ${uri}`));
  return said(before).filter(({ document, uri }) => !left.has(`${document} ${uri}`));
}

function repairsOf({ sources }: MemoryData, { kind, url }: Source): number {
  const following = sources.get(`${kind} ${url}`)?.record.following;
  return following?.by === 'feed' ? (following.repairs ?? 0) : 0;
}
