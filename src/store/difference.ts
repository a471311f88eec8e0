import type { Quad } from '@rdfjs/types';
import { DataFactory } from 'n3';
import { metadataToQuads } from '../component/codec.js';
import { type Metadata, sameMetadata } from '../component/metadata.js';
import type { Vocabulary } from '../component/vocabulary.js';
import { breather } from '../lib/slices.js';
import type { Entry } from './catalog.js';
import type { ChangeCount } from './source-record.js';

/** What has to happen to one graph so that it says something else. */
export interface GraphDifference {
  readonly remove: Quad[];
  readonly add: Quad[];
  /** Statements that go: removed or replaced. */
  readonly gone: Entry[];
  /** Descriptions that come: new or replacing. */
  readonly come: Metadata[];
  readonly count: ChangeCount;
}

/**
 * Compares what a graph says with what it shall say; only what differs is touched. Replacing a component
 * touches the statements that changed, not all of it. `reranked`: descriptions that stay take another place
 * among those of the same components, so they go and come. Gives way to other work on the way.
 */
export async function graphDifference(
  graph: string,
  vocabulary: Vocabulary,
  before: ReadonlyMap<string, Entry>,
  after: Iterable<Metadata>,
  reranked = false,
): Promise<GraphDifference> {
  const name = DataFactory.namedNode(graph);
  const quadsOf = (component: Metadata) =>
    metadataToQuads(component, vocabulary, component.uri, name) as Quad[];
  const result: GraphDifference = {
    remove: [],
    add: [],
    gone: [],
    come: [],
    count: { added: 0, changed: 0, removed: 0 },
  };
  const count = { ...result.count };
  const kept = new Set<string>();
  const breathe = breather();
  for (const component of after) {
    await breathe();
    if (kept.has(component.uri)) continue;
    kept.add(component.uri);
    const old = before.get(component.uri);
    const same = old && sameMetadata(old.metadata, component);
    if (same && !reranked) continue;
    result.come.push(component);
    if (same) {
      result.gone.push(old);
      continue;
    }
    if (old) {
      count.changed += 1;
      result.gone.push(old);
      const [oldQuads, newQuads] = [quadsOf(old.metadata), quadsOf(component)];
      result.remove.push(...without(oldQuads, newQuads));
      result.add.push(...without(newQuads, oldQuads));
    } else {
      count.added += 1;
      result.add.push(...quadsOf(component));
    }
  }
  for (const [uri, old] of before) {
    if (kept.has(uri)) continue;
    await breathe();
    count.removed += 1;
    result.gone.push(old);
    result.remove.push(...quadsOf(old.metadata));
  }
  return { ...result, count };
}

function without(quads: readonly Quad[], others: readonly Quad[]): Quad[] {
  return quads.filter((quad) => !others.some((other) => other.equals(quad)));
}
