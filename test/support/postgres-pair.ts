import { cleanup } from './cleanup.js';
import { PostgresServer } from './postgres-server.js';
import { waitFor } from './wait-for.js';

/** Only the flushing of files is left out. */
const SETTINGS = { fsync: 'off', synchronous_commit: 'on' };

/** A primary and a standby that has what is acknowledged, and the address of both. */
export async function primaryWithStandby() {
  const primary = await PostgresServer.start(SETTINGS);
  cleanup(() => primary.remove());
  const { pathname } = new URL(await primary.createDatabase());
  const standby = await PostgresServer.standbyOf(primary, 'standby1');
  cleanup(() => standby.remove());
  await primary.query("ALTER SYSTEM SET synchronous_standby_names = 'standby1'");
  await primary.query('SELECT pg_reload_conf()');
  await waitFor(async () => {
    const [row] = await primary.query<{ sync_state: string }>('SELECT sync_state FROM pg_stat_replication');
    return row?.sync_state === 'sync';
  });
  const hosts = [primary, standby].map(({ port }) => `127.0.0.1:${port}`).join();
  return { primary, standby, url: `postgres://registry@${hosts}${pathname}` };
}
