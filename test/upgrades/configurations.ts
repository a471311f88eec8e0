import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseConfig } from '../../src/config.js';
import { OPERATOR_TOKEN } from '../support/node/node-reader.js';

/** What this version finds wrong with the configurations that came with an earlier program: with its own, and its examples. */
export async function faultsOfConfigurations(program: string): Promise<string[]> {
  const files = await readdir(join(program, 'docs/examples'), { recursive: true }).catch(() => []);
  const examples = files.filter((file) => file.endsWith('.json')).map((file) => join('docs/examples', file));
  const faults: string[] = [];
  for (const file of ['node.config.json', ...examples]) {
    const value = JSON.parse(await readFile(join(program, file), 'utf8'));
    // A dashboard is JSON, too.
    if (!['listen', 'baseUrl', 'peers', 'store'].some((key) => key in value)) continue;
    // Secrets are never in a file.
    const database = { REGISTRY_STORE_URL: 'postgres://registry@127.0.0.1/registry' };
    const env = {
      REGISTRY_OPERATOR_TOKEN: OPERATOR_TOKEN,
      ...(value.store?.engine === 'postgres' ? database : {}),
    };
    try {
      parseConfig(value, { directory: program, env });
    } catch (error) {
      faults.push(`${file}: ${String(error)}`);
    }
  }
  return faults;
}
