import type { Config } from '../config.js';
import { systemClock } from '../lib/clock.js';
import { createLog } from '../lib/log.js';
import { type ConfigOptions, configFrom } from './config-options.js';
import type { Terminal } from './terminal.js';

/** Says that a configuration can be used. @throws ConfigError with every fault of it; KeepUnusable */
export async function run(options: ConfigOptions, { say }: Terminal): Promise<number> {
  const config = configFrom(options);
  const { baseUrl, mode, write, pods, peers, dataDir } = config;
  const place = config.store.engine === 'disk' ? `data in ${dataDir}` : await databaseOf(config);
  say(`ok: ${mode} at ${baseUrl}, write ${write}, ${pods.length} pods, ${peers.length} peers, ${place}`);
  return 0;
}

/** What is in the database. @throws KeepUnusable */
async function databaseOf({ storeUrl: url = '', store }: Config): Promise<string> {
  const { checkDatabase } = await import('../keep/postgres/check-database.js');
  return checkDatabase({
    url,
    statementMs: store.statementSeconds * 1000,
    patienceMs: 0,
    clock: systemClock,
    random: Math.random,
    log: createLog({ level: 'silent' }),
  });
}
