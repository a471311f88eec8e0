import { sourceOfKey } from '../../../component/precedence.js';
import { compareText } from '../../../lib/compare-text.js';

/** Documents of a peer that it believes in the same place, but for their names: of one of its sources, and of one rank there. */
export interface Place {
  /** `sourceKey` */
  readonly of: string;
  /** Of the source, and of the document within it: see `SourceLine` and `DocumentRecord`. */
  readonly sourceRank: number;
  readonly documentRank: number;
  /** The name that the document has at the peer, where those that it has here are in another order; else empty. */
  readonly graph: string;
}

/** A place and the rank that its documents have here; plain JSON, so that it can be remembered. */
export type Ranked = readonly [
  of: string,
  sourceRank: number,
  documentRank: number,
  graph: string,
  rank: number,
];

/** Ranks are integers between these, the first one in the middle, and others beside it in such steps. */
const RANGE = { least: 1, middle: 2 ** 51, most: 2 ** 52, step: 2 ** 32 } as const;

/**
 * The order in which a peer believes its documents, as one number for each: so a mirror, for which all of them are of one
 * source, serves what its peer serves. Numbers lie far apart, so that places which come later find room between them, and
 * no others have to move.
 */
export class SourceOrder {
  #ranks: Map<string, Ranked>;

  constructor(ranked: readonly Ranked[] = []) {
    this.#ranks = new Map(ranked.map((one) => [keyOf(placeOf(one)), one]));
  }

  get ranked(): readonly Ranked[] {
    return [...this.#ranks.values()];
  }

  rankOf(place: Place): number | undefined {
    return this.#ranks.get(keyOf(place))?.[4];
  }

  /** Gives ranks to places that have none. False when there is no room between their neighbours: all have to move then. */
  add(places: Iterable<Place>): boolean {
    const fresh = new Map([...places].map((place) => [keyOf(place), place]));
    for (const key of this.#ranks.keys()) fresh.delete(key);
    if (fresh.size === 0) return true;
    const known = this.ranked.toSorted((one, other) => one[4] - other[4]);
    const between = gapsOf([...fresh.values()].sort(compare), known);
    const added = between.map(({ places, below, above }) => spread(places, below, above));
    if (added.includes(undefined)) return false;
    for (const one of added.flatMap((ranked) => ranked ?? [])) this.#ranks.set(keyOf(placeOf(one)), one);
    return true;
  }

  /** Forgets places that no document has any more. */
  keep(isUsed: (rank: number) => boolean): void {
    for (const [key, [, , , , rank]] of this.#ranks) if (!isUsed(rank)) this.#ranks.delete(key);
  }
}

function placeOf([of, sourceRank, documentRank, graph]: Ranked): Place {
  return { of, sourceRank, documentRank, graph };
}

function keyOf({ of, sourceRank, documentRank, graph }: Place): string {
  return `${sourceRank} ${documentRank} ${of}\n${graph}`;
}

/** As engines compare statements: by the rank of the source, its URL, the rank within it, and the document's URL. */
function compare(one: Place, other: Place): number {
  return (
    one.sourceRank - other.sourceRank ||
    compareText(sourceOfKey(one.of).url, sourceOfKey(other.of).url) ||
    compareText(one.of, other.of) ||
    one.documentRank - other.documentRank ||
    compareText(one.graph, other.graph)
  );
}

/** New places that come between the same two ranks. */
interface Gap {
  readonly places: Place[];
  readonly below: number | undefined;
  readonly above: number | undefined;
}

/** Both lists in order. */
function gapsOf(fresh: readonly Place[], known: readonly Ranked[]): Gap[] {
  const gaps: Gap[] = [];
  let at = 0;
  for (const place of fresh) {
    const from = at;
    for (let next = known[at]; next && compare(placeOf(next), place) < 0; next = known[at]) at += 1;
    const gap = at === from ? gaps.at(-1) : undefined;
    if (gap) gap.places.push(place);
    else gaps.push({ places: [place], below: known[at - 1]?.[4], above: known[at]?.[4] });
  }
  return gaps;
}

function spread(
  places: readonly Place[],
  below: number | undefined,
  above: number | undefined,
): Ranked[] | undefined {
  const count = places.length;
  const isInner = below !== undefined && above !== undefined;
  const step = isInner ? Math.floor((above - below) / (count + 1)) : RANGE.step;
  const from = below ?? (above ?? RANGE.middle) - step * (count + 1);
  const last = from + step * count;
  if (step < 1 || from + step < RANGE.least || last > RANGE.most) return undefined;
  return places.map(({ of, sourceRank, documentRank, graph }, i) => [
    of,
    sourceRank,
    documentRank,
    graph,
    from + step * (i + 1),
  ]);
}
