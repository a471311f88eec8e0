/** A data directory that cannot be used, in a sentence for the operator. */
export class UnusableData extends Error {
  override readonly name: string = 'UnusableData';
}

/** What is to be done about damaged files; ends every message about them. */
export const WAY_OUT =
  'run "component-registry-node repair --config <file>", which says what can be saved, or restore a backup';

/** Files that do not hold what was written to them. */
export class DamagedData extends UnusableData {
  override readonly name = 'DamagedData';

  constructor(where: string, what: string, options?: ErrorOptions) {
    super(`The data in ${where} is damaged: ${what}. To go on, ${WAY_OUT}`, options);
  }
}
