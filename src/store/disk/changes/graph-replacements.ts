import type { Quad } from '@rdfjs/types';
import { DataFactory } from 'n3';
import type { Metadata } from '../../../component/metadata.js';
import type { Vocabulary } from '../../../component/vocabulary.js';
import { storedQuadCount, storedQuads } from '../../../component/writing/metadata-quads.js';
import type { Pace } from '../../../lib/pace.js';
import { graphName } from '../database/graph-name.js';
import type { QuadChange, Row } from '../database/quad-store.js';
import { statementKey, statementRow } from '../database/statement-row.js';
import { type Decision, TABLES } from '../database/tables.js';
import type { DocumentDifference, EntryChange } from './difference.js';

/** The changes of one graph. Those that come from the redo log have no entries. */
export interface GraphReplacements {
  /** The name that the graph has on disk, and the number that stands for it in rows. */
  readonly graph: string;
  readonly number: number;
  readonly replacements: readonly EntryChange[];
  /** How many changes of the same commit come before these; each has a position. */
  readonly from: number;
}

/** Each change has a position: those of one document come behind those of the documents before it. */
export function graphReplacements(differences: readonly DocumentDifference[]): GraphReplacements[] {
  const graphs: GraphReplacements[] = [];
  let from = 0;
  for (const { document, origin, changes } of differences) {
    const graph = graphName(origin.source, origin.document);
    if (changes.length > 0) graphs.push({ graph, number: document.number, replacements: changes, from });
    from += changes.length;
  }
  return graphs;
}

/** The quads that have to go and come. Of a component that changes, only those are touched that do. Gives way to other work. */
export async function quadChange(
  graphs: readonly GraphReplacements[],
  { pace, vocabulary }: { readonly vocabulary: Vocabulary; readonly pace: Pace },
): Promise<Required<Pick<QuadChange, 'remove' | 'add'>>> {
  const change = { remove: [] as Quad[], add: [] as Quad[] };
  const breathe = pace();
  for (const { graph, replacements } of graphs) {
    const name = DataFactory.namedNode(graph);
    const quadsOf = (component: Metadata | undefined) =>
      component ? storedQuads(component, vocabulary, name) : [];
    for (const { before, after } of replacements) {
      const [gone, come] = [quadsOf(before), quadsOf(after)];
      change.remove.push(...without(gone, come));
      change.add.push(...without(come, gone));
      await breathe();
    }
  }
  return change;
}

/** The rows of the statements that come, and the end of those that go, once their positions are decided. */
export function statementRows(
  { number, replacements, from }: GraphReplacements,
  { base, at }: Decision,
): Row[] {
  return replacements.flatMap(({ before, after, since, was }, i) => {
    const { uri } = (after ?? before) as Metadata;
    const key = statementKey(uri, number);
    const place = { position: base + from + i + 1, at, isUpdate: before !== undefined, since };
    return [
      TABLES.statement(key, after && statementRow({ place, quads: storedQuadCount(after) })),
      ...(was === undefined ? [] : [TABLES.change(was, undefined)]),
      ...(after ? [TABLES.change(place.position, key)] : []),
    ];
  });
}

function without(quads: readonly Quad[], others: readonly Quad[]): readonly Quad[] {
  return others.length === 0 ? quads : quads.filter((quad) => !others.some((other) => other.equals(quad)));
}
