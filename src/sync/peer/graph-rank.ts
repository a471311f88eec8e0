import type { PeerDataset } from './peer-dataset.js';

/**
 * The places of graphs in the order in which their peer believes them: a graph comes after every graph that is
 * put before it somewhere. So a mirror shows the same winners as its upstream, whose reasons it does not know.
 */
export function graphRanks(dataset: PeerDataset): (graph: string) => number {
  const ranks = new Map<string, number>();
  const visit = (name: string): Visit => {
    // Set before the visit: graphs that are put before one another in a circle would be visited for ever.
    ranks.set(name, 0);
    return { name, rank: 0, before: (dataset.get(name)?.behind ?? []).values() };
  };
  return (graph) => {
    // A list instead of recursion: a peer may put more graphs one behind the other than the call stack holds.
    const path: Visit[] = ranks.has(graph) ? [] : [visit(graph)];
    for (let at = path.at(-1); at; at = path.at(-1)) {
      const next = at.before.next();
      const known = next.done ? undefined : ranks.get(next.value);
      if (known !== undefined) at.rank = Math.max(at.rank, known + 1);
      else if (!next.done) path.push(visit(next.value));
      else {
        ranks.set(at.name, at.rank);
        path.pop();
        const after = path.at(-1);
        if (after) after.rank = Math.max(after.rank, at.rank + 1);
      }
    }
    return ranks.get(graph) ?? 0;
  };
}

/** A graph whose rank is being found. */
interface Visit {
  readonly name: string;
  /** So far. */
  rank: number;
  /** The graphs before it that have not been looked at yet. */
  readonly before: Iterator<string>;
}
