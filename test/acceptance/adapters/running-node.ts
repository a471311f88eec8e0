import { join } from 'node:path';
import { parseConfig } from '../../../src/config.js';
import { createLog } from '../../../src/lib/log.js';
import { createNode } from '../../../src/node.js';
import { cleanup } from '../../support/cleanup.js';
import { tempDir } from '../../support/temp-dir.js';

export const TOKEN = 'operator-token-of-this-test';

/** A whole node in this process, on a port that the system picks. Gives its URL and port. */
export async function runNode(settings: object = {}): Promise<{ url: string; port: number }> {
  const directory = await tempDir();
  const config = parseConfig(
    { listen: { port: 0 }, dataDir: join(directory, 'data'), ...settings },
    { directory, env: { REGISTRY_OPERATOR_TOKEN: TOKEN } },
  );
  const node = createNode(config, { log: createLog({ level: 'silent' }) });
  cleanup(() => node.stop());
  const { url } = await node.start();
  return { url, port: Number(new URL(url).port) };
}
