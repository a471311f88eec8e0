import type { DocumentNames, StoredDocuments } from './document-names.js';
import type { FeedLine } from './feed-page.js';
import { type Place, type Ranked, SourceOrder } from './source-order.js';
import type { StagedGraph, Staging } from './staging.js';

export interface MirrorRanksOptions {
  readonly staging: Staging;
  readonly stored: StoredDocuments;
  readonly names: DocumentNames;
  readonly lines: ReadonlyMap<string, FeedLine>;
}

/** The ranks that a mirror gives to the documents of its peer, so that of several it serves the one that the peer serves. */
export class MirrorRanks {
  readonly #options: MirrorRanksOptions;
  #order: SourceOrder;
  /** Ranks of documents that are stored. */
  #used: ReadonlySet<number> | undefined;

  constructor(ranked: readonly Ranked[] | undefined, options: MirrorRanksOptions) {
    this.#options = options;
    this.#order = new SourceOrder(ranked);
  }

  /**
   * Gives ranks to all that is staged.
   * @returns the sources that have to be read whole, because documents of theirs that are stored have other ranks now;
   * `all` when everything has to be
   */
  assign(): readonly string[] | 'all' {
    const { staging } = this.#options;
    this.#nameStaged();
    const places = [...this.#stagedPlaces()];
    if (!this.#order.add(places)) {
      if (!staging.isEverything) return 'all';
      this.#order = new SourceOrder();
      this.#order.add(places);
    }
    const moved = new Set([...this.#movedSources(), ...this.#movedDocuments()]);
    return [...moved].filter((of) => !staging.isWhole(of));
  }

  rankOf(of: string, name: string, graph: StagedGraph): number {
    return this.#order.rankOf(this.#place(of, name, graph)) ?? 0;
  }

  /** What is to be remembered, when documents have these ranks and no others. */
  remembered(used: ReadonlySet<number>): readonly Ranked[] {
    this.#order.keep((rank) => used.has(rank));
    return this.#order.ranked;
  }

  /** Whether a source has a document under another name decides the places of all its documents. */
  #nameStaged(): void {
    const { names } = this.#options;
    for (const { of, name } of this.#staged()) names.nameOf(of, name);
  }

  *#staged(): Generator<{ of: string; name: string; graph: StagedGraph }> {
    for (const [of, { graphs }] of this.#options.staging.sources) {
      for (const [name, graph] of graphs) if (saysAnything(graph)) yield { of, name, graph };
    }
  }

  *#stagedPlaces(): Generator<Place> {
    for (const { of, name, graph } of this.#staged()) yield this.#place(of, name, graph);
  }

  /** Sources which the peer believes in another place than before, or whose documents have no place of their own and need one. */
  *#movedSources(): Generator<string> {
    const { lines, names } = this.#options;
    for (const [of, sourceRank, , graph] of this.#order.ranked.filter((one) => this.#isUsed(one))) {
      const isElsewhere = sourceRank !== (lines.get(of)?.rank ?? sourceRank);
      if (isElsewhere || names.isRenamed(of) !== (graph !== '')) yield of;
    }
  }

  #isUsed([, , , , rank]: Ranked): boolean {
    this.#used ??= new Set([...this.#options.stored.values()].map((document) => document.rank ?? 0));
    return this.#used.has(rank);
  }

  *#movedDocuments(): Generator<string> {
    const { stored, names } = this.#options;
    for (const { of, name, graph } of this.#staged()) {
      const known = stored.get(names.known(of, name) ?? '');
      if (known && (known.rank ?? 0) !== this.rankOf(of, name, graph)) yield of;
    }
  }

  #place(of: string, name: string, { rank }: StagedGraph): Place {
    const { lines, names } = this.#options;
    const sourceRank = lines.get(of)?.rank ?? 0;
    return { of, sourceRank, documentRank: rank, graph: names.isRenamed(of) ? name : '' };
  }
}

function saysAnything({ statements }: StagedGraph): boolean {
  for (const said of statements.values()) if (said) return true;
  return false;
}
