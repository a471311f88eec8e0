import type { Config } from '../config.js';
import { systemClock } from '../lib/clock.js';
import { createLog } from '../lib/log.js';
import { CONFIG_FLAG, configFrom } from './flags.js';
import type { RunnableVerb } from './runnable-verb.js';

export const CHECK_VERB: RunnableVerb = {
  meaning: 'say whether a configuration can be used, and whether its database can be reached',
  flags: CONFIG_FLAG,
  run: async (flags, _argument, { say }) => {
    const config = configFrom(flags);
    const { baseUrl, mode, write, pods, peers, dataDir } = config;
    const place = config.store.engine === 'disk' ? `data in ${dataDir}` : await databaseOf(config);
    say(`ok: ${mode} at ${baseUrl}, write ${write}, ${pods.length} pods, ${peers.length} peers, ${place}`);
    return 0;
  },
};

/** What is in the database. @throws UnusableData */
async function databaseOf(config: Config): Promise<string> {
  const { checkDatabase } = await import('../store/postgres/check-database.js');
  const { storeUrl: url = '', store } = config;
  const given = { clock: systemClock, random: Math.random, log: createLog({ level: 'silent' }) };
  const limits = { connections: 1, patienceMs: 0, statementMs: store.statementSeconds * 1000 };
  return checkDatabase({ url, ...given, ...limits }, config);
}
