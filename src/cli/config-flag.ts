import { type Config, DEFAULT_FILE, loadConfig } from '../config.js';
import type { FlagValues } from '../lib/command-line.js';

/** The flag of all verbs that need a configuration. */
export const CONFIG_FLAG = {
  config: { value: 'file', meaning: `configuration (${DEFAULT_FILE} when absent)` },
};

/** The configuration that the flag names. @throws ConfigError with every fault of it */
export function configFrom({ config: file }: FlagValues): Config {
  return loadConfig({ file: typeof file === 'string' ? file : undefined });
}
