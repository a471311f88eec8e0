import { explain } from '../../../lib/faults.js';
import { UnusableData } from '../../unusable-data.js';

/** What is to be done about damaged files; ends every message about them. */
export const WAY_OUT =
  'run "component-registry-node repair --config <file>", which says what can be saved, or restore a backup';

/** Files that do not hold what was written to them. */
export class DamagedData extends UnusableData {
  override readonly name = 'DamagedData';

  /** `where`: the directory; `what`: the file, row or graph, and what is wrong with it. */
  constructor(
    where: string,
    readonly what: string,
    options?: ErrorOptions,
  ) {
    super(`The data in ${where} is damaged: ${what}. To go on, ${WAY_OUT}`, options);
  }
}

/** What an error of a read means: that files are damaged where LevelDB says so, else itself. */
export function readFault(where: string, error: unknown): unknown {
  const { code } = error as { code?: string };
  const damaged = code === 'LEVEL_CORRUPTION' || code === 'LEVEL_IO_ERROR';
  return damaged ? new DamagedData(where, explain(error), { cause: error }) : error;
}
