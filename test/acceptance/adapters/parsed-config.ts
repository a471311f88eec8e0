import { resolve } from 'node:path';
import { ConfigError } from '../../../src/config/fault.js';
import { parseConfig } from '../../../src/config.js';

export const TOKEN = 'a-token-that-is-long-enough';
export const DIRECTORY = resolve('/srv/node');

export type Env = Record<string, string>;

/** The configuration of a file in `DIRECTORY` with this value, and of an environment that holds nothing else. */
export const parse = (value: unknown, env: Env = {}) => parseConfig(value, { directory: DIRECTORY, env });

/** What a configuration is refused for, each fault as `<key>: <detail>`. */
export function faultsOf(work: () => unknown): string[] {
  try {
    work();
  } catch (error) {
    if (error instanceof ConfigError) return error.faults.map(({ key, detail }) => `${key}: ${detail}`);
    throw error;
  }
  throw new Error('the configuration was accepted');
}
