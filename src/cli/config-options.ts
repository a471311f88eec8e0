import { type Config, loadConfig } from '../config.js';

/** The option of all commands that need a configuration. */
export interface ConfigOptions {
  readonly config: string;
}

/** What both commands that move data can be told. */
export interface TransferOptions extends ConfigOptions {
  readonly withoutConnections?: true;
}

/**
 * The configuration that the option names.
 * @param isOptional are the defaults enough where there is no file of the default name?
 * @throws ConfigError with every fault of it
 */
export function configFrom({ config: file }: ConfigOptions, isOptional = false): Config {
  return loadConfig({ file, isOptional });
}
