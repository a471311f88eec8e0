import { DamagedData } from '../database/damage.js';
import type { QuadStore } from '../database/quad-store.js';
import { quadsOfRow, readStatementKey } from '../database/statement-row.js';
import { isCurrentFormat, type StatementsNote } from '../database/statements-note.js';

/** How many quads the statements of each document need, by the number of its graph. */
export class NeededQuads {
  readonly #counts = new Map<number, number>();

  /** To be told of each row of a statement. */
  add(graph: number, row: string): void {
    this.#counts.set(graph, (this.#counts.get(graph) ?? 0) + quadsOfRow(row));
  }

  /**
   * Quads are what is stored, and the rows beside them are made from them: a node that has lost quads would serve from its
   * rows until they are made anew, and lost too (design, section 5, "One truth"). More quads than are needed do no harm.
   * `found`: by the name of the graph.
   * @throws DamagedData when a document has fewer than it needs
   */
  async refuseFewer(store: QuadStore, found: ReadonlyMap<string, number>): Promise<void> {
    for await (const [name, number] of store.rows<number>('graph')) {
      const [there, needed] = [found.get(name) ?? 0, this.#counts.get(number) ?? 0];
      if (there >= needed) continue;
      throw new DamagedData(
        store.place,
        `the graph ${name} has ${there} quads, and ${needed} have been stored`,
      );
    }
  }
}

/** To be called before rows are made from quads, or quads from quads. @throws DamagedData when some are missing */
export async function refuseMissingQuads(store: QuadStore): Promise<void> {
  const note = await store.row<StatementsNote>('meta', 'statements');
  // Of rows in an older format, and of those that are being made, nothing tells how many quads they stand for.
  if (!note || !isCurrentFormat(note)) return;
  const needed = new NeededQuads();
  for await (const page of store.texts('statement')) {
    for (const [key, row] of page) needed.add(readStatementKey(key).graph, row);
  }
  await needed.refuseFewer(store, await store.countQuads());
}
