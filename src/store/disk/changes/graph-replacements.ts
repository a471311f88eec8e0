import type { Quad } from '@rdfjs/types';
import { DataFactory } from 'n3';
import type { Metadata } from '../../../component/metadata.js';
import type { Naming } from '../../../component/naming.js';
import { metadataToQuads } from '../../../component/writing/metadata-quads.js';
import type { Pace } from '../../../lib/pace.js';
import type { Change } from '../../../registry/change.js';
import type { QuadChange, Row } from '../database/quad-store.js';
import { statementKey, statementRow } from '../database/statement-row.js';
import { TABLES } from '../database/tables.js';

/** The changes of one graph. Plain JSON: the redo log writes it as it is. */
export interface GraphReplacements {
  /** The name that the graph has on disk, and the number that stands for it in rows. */
  readonly graph: string;
  readonly number: number;
  readonly replacements: readonly Change[];
}

/**
 * The quads and rows that have to go and come. Of a component that changes, only those statements are touched
 * that do. Gives way to other work.
 */
export async function quadChange(
  graphs: readonly GraphReplacements[],
  { pace, ...naming }: Naming & { readonly pace: Pace },
): Promise<Required<Pick<QuadChange, 'remove' | 'add' | 'rows'>>> {
  const change = { remove: [] as Quad[], add: [] as Quad[], rows: [] as Row[] };
  const breathe = pace();
  for (const { graph, number, replacements } of graphs) {
    const name = DataFactory.namedNode(graph);
    const quadsOf = (component: Metadata | undefined) =>
      component ? (metadataToQuads(component, naming.vocabulary, component.uri, name) as Quad[]) : [];
    for (const { before, after } of replacements) {
      const [gone, come] = [quadsOf(before), quadsOf(after)];
      change.remove.push(...without(gone, come));
      change.add.push(...without(come, gone));
      const { uri } = (after ?? before) as Metadata;
      change.rows.push(TABLES.statement(statementKey(uri, number), after && statementRow(after, naming)));
      await breathe();
    }
  }
  return change;
}

function without(quads: readonly Quad[], others: readonly Quad[]): readonly Quad[] {
  return others.length === 0 ? quads : quads.filter((quad) => !others.some((other) => other.equals(quad)));
}
