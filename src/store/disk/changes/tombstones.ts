import { type Source, sourceKey, sourceOfKey } from '../../../component/source.js';
import { outlived } from '../../../core/feed-window.js';
import type { StatementChange } from '../../../registry/changes.js';
import type { TombstoneRow } from '../database/tables.js';
import { ChangeOrder } from './change-order.js';

/** The removals that are remembered: the latest one of each statement that is not there. */
export class Tombstones {
  readonly order = new ChangeOrder<StatementChange>();
  readonly #byStatement = new Map<string, StatementChange>();

  load(rows: Iterable<readonly [position: number, row: TombstoneRow]>): void {
    for (const [position, row] of rows) {
      const tombstone = tombstoneOf(position, row);
      this.#byStatement.set(statementKey(tombstone), tombstone);
    }
    this.order.load([...this.#byStatement.values()]);
  }

  get size(): number {
    return this.#byStatement.size;
  }

  /** Has the removal of this statement been remembered? */
  of(source: Source, document: string, uri: string): StatementChange | undefined {
    return this.#byStatement.size === 0
      ? undefined
      : this.#byStatement.get(statementKey({ source, document, uri }));
  }

  add(tombstone: StatementChange): void {
    this.#byStatement.set(statementKey(tombstone), tombstone);
    this.order.append(tombstone);
  }

  delete(tombstone: StatementChange): void {
    this.#byStatement.delete(statementKey(tombstone));
    this.order.delete(tombstone);
  }

  outlived(statements: number, now: number): StatementChange[] {
    return outlived(this.order.after(0), { count: this.size, statements, now });
  }
}

function tombstoneOf(position: number, { source, document, uri, at }: TombstoneRow): StatementChange {
  return { position, at, source: sourceOfKey(source), document, uri };
}

/** Neither the URL of a source nor that of a document has a space. */
function statementKey({
  source,
  document,
  uri,
}: Pick<StatementChange, 'source' | 'document' | 'uri'>): string {
  return `${sourceKey(source)} ${document} ${uri}`;
}
