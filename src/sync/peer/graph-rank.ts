import type { PeerDataset } from './peer-dataset.js';

/**
 * The places of graphs in the order in which their peer believes them: a graph comes after every graph that is
 * put before it somewhere. So a mirror shows the same winners as its upstream, whose reasons it does not know.
 */
export function graphRanks(dataset: PeerDataset): (graph: string) => number {
  const ranks = new Map<string, number>();
  const rankOf = (name: string): number => {
    const known = ranks.get(name);
    if (known !== undefined) return known;
    // Until it is known: an order that leads in a circle is no order, and must not be followed for ever.
    ranks.set(name, 0);
    const before = [...(dataset.get(name)?.behind ?? [])].map(rankOf);
    const rank = before.length === 0 ? 0 : Math.max(...before) + 1;
    ranks.set(name, rank);
    return rank;
  };
  return rankOf;
}
