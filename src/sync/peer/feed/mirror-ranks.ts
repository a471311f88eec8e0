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
    const places = [...this.#stagedPlaces()];
    if (!this.#order.add(places)) {
      if (!staging.isEverything) return 'all';
      this.#order = new SourceOrder();
      this.#order.add(places);
    }
    const moved = new Set([...this.#movedSources(), ...this.#movedDocuments()]);
    return [...moved].filter((of) => !staging.isWhole(of));
  }

  rankOf(of: string, graph: StagedGraph): number {
    return this.#order.rankOf(this.#place(of, graph)) ?? 0;
  }

  /** What is to be remembered, when documents have these ranks and no others. */
  remembered(used: ReadonlySet<number>): readonly Ranked[] {
    this.#order.keep((rank) => used.has(rank));
    return this.#order.ranked;
  }

  *#stagedPlaces(): Generator<Place> {
    for (const [of, { graphs }] of this.#options.staging.sources) {
      for (const graph of graphs.values()) if (saysAnything(graph)) yield this.#place(of, graph);
    }
  }

  /** Sources which the peer believes in another place than before. */
  *#movedSources(): Generator<string> {
    const { lines, stored } = this.#options;
    const held = new Set([...stored.values()].map(({ of }) => of));
    for (const [of, sourceRank] of this.#order.ranked) {
      const line = lines.get(of);
      if (line && line.rank !== sourceRank && held.has(of)) yield of;
    }
  }

  *#movedDocuments(): Generator<string> {
    const { staging, stored, names } = this.#options;
    for (const [of, { graphs }] of staging.sources) {
      for (const [name, graph] of graphs) {
        const known = stored.get(names.known(of, name) ?? '');
        if (known && saysAnything(graph) && (known.rank ?? 0) !== this.rankOf(of, graph)) yield of;
      }
    }
  }

  #place(of: string, { rank }: StagedGraph): Place {
    return { of, sourceRank: this.#options.lines.get(of)?.rank ?? 0, documentRank: rank };
  }
}

function saysAnything({ statements }: StagedGraph): boolean {
  for (const said of statements.values()) if (said) return true;
  return false;
}
