import { type Config, loadConfig } from '../config.js';

/** The option of all commands that need a configuration. */
export interface ConfigOptions {
  readonly config: string;
}

/** The configuration that the option names. @throws ConfigError with every fault of it */
export function configFrom({ config: file }: ConfigOptions): Config {
  return loadConfig({ file });
}
