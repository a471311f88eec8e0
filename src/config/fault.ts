/** One thing that keeps a configuration from being used. `key` is a key of the file or a variable's name. */
export interface ConfigFault {
  readonly key: string;
  readonly detail: string;
}

/** A configuration that cannot be used, with every fault found; the message is ready to print, a line each. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';

  constructor(
    readonly file: string,
    readonly faults: readonly ConfigFault[],
  ) {
    super([`${file} cannot be used:`, ...faults.map(({ key, detail }) => `  ${key}: ${detail}`)].join('\n'));
  }
}
