import { KeepDamaged } from '../faults.js';

/** `what`: the entry that is not what was written; `rows`: where it lies, in SQL. */
export function damagedEntry(place: string, what: string, rows: string): KeepDamaged {
  const way = `restore a backup of the database, or stop all nodes and take it out: DELETE FROM ${rows}; what sources have said is read again then, and what was posted is lost`;
  return new KeepDamaged(place, what, { way });
}
