import type { Config } from '../config.js';
import { systemClock } from '../lib/clock.js';
import { createLog } from '../lib/log.js';
import { configFrom } from './flag-values.js';
import type { RunVerb } from './runnable-verb.js';

export const run: RunVerb = async (flags, _argument, { say }) => {
  const config = configFrom(flags);
  const { baseUrl, mode, write, pods, peers, dataDir } = config;
  const place = config.store.engine === 'disk' ? `data in ${dataDir}` : await databaseOf(config);
  say(`ok: ${mode} at ${baseUrl}, write ${write}, ${pods.length} pods, ${peers.length} peers, ${place}`);
  return 0;
};

/** What is in the database. @throws UnusableData */
async function databaseOf(config: Config): Promise<string> {
  const { checkDatabase } = await import('../store/postgres/check-database.js');
  const { storeUrl: url = '', store } = config;
  const given = { clock: systemClock, random: Math.random, log: createLog({ level: 'silent' }) };
  const limits = { connections: 1, patienceMs: 0, statementMs: store.statementSeconds * 1000 };
  return checkDatabase({ url, ...given, ...limits }, config);
}
