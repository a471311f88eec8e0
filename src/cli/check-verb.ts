import { loadConfig } from '../config.js';
import type { ConfigOptions, Terminal } from './terminal.js';

/** Says that a configuration can be used. @throws ConfigError with every fault of it */
export async function run(options: ConfigOptions, { say }: Terminal): Promise<number> {
  const { baseUrl, mode, write, pods, peers, dataDir, store } = loadConfig({ file: options.config });
  const place = store.engine === 'disk' ? `data in ${dataDir}` : 'data in PostgreSQL';
  say(`ok: ${mode} at ${baseUrl}, write ${write}, ${pods.length} pods, ${peers.length} peers, ${place}`);
  return 0;
}
