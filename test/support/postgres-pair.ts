import { cleanup } from './cleanup.js';
import { PostgresServer } from './postgres-server.js';
import { waitFor } from './wait-for.js';

/** An acknowledged commit is on the primary, and on a standby soon afterwards. Only the flushing of files is left out. */
const SETTINGS = { fsync: 'off', synchronous_commit: 'on' };

/** A primary and a standby that follows it, and the address of both. `synchronous`: a commit is acknowledged when the standby has it. */
export async function primaryWithStandby({ synchronous = false } = {}) {
  const primary = await PostgresServer.start(SETTINGS);
  cleanup(() => primary.remove());
  const { pathname } = new URL(await primary.createDatabase());
  const standby = await PostgresServer.standbyOf(primary, 'standby1');
  cleanup(() => standby.remove());
  if (synchronous) {
    await primary.query("ALTER SYSTEM SET synchronous_standby_names = 'standby1'");
    await primary.query('SELECT pg_reload_conf()');
    await waitFor(async () => {
      const [row] = await primary.query<{ sync_state: string }>('SELECT sync_state FROM pg_stat_replication');
      return row?.sync_state === 'sync';
    });
  }
  const database = pathname.slice(1);
  const hosts = [primary, standby].map(({ port }) => `127.0.0.1:${port}`).join();
  const hasAll = async () => {
    const [row] = await primary.query<{ all: boolean }>(
      'SELECT replay_lsn = pg_current_wal_lsn() AS "all" FROM pg_stat_replication',
    );
    return row?.all === true;
  };
  return { primary, standby, database, url: `postgres://registry@${hosts}${pathname}`, hasAll };
}
