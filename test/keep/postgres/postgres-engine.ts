import pg from 'pg';
import type { Place } from '../../../src/keep/keep.js';
import { openPostgresPlace, type PostgresOptions } from '../../../src/keep/postgres/postgres-place.js';
import { systemClock } from '../../../src/lib/clock.js';
import { systemPace } from '../../../src/lib/pace.js';
import { cleanup } from '../../support/cleanup.js';
import { sql } from '../../support/postgres-server.js';
import { newDatabase } from '../../support/shared-server.js';
import type { KeepEngine } from '../contract.js';
import { SILENT } from '../level-engine.js';
import { uniqueTexts } from '../unique-texts.js';

export function openedAt(url: string, more: Partial<PostgresOptions> = {}): Promise<Place> {
  return openPostgresPlace({
    url,
    connections: 4,
    statementMs: 10_000,
    clock: systemClock,
    pace: systemPace,
    random: Math.random,
    unique: uniqueTexts(),
    log: SILENT,
    ...more,
  });
}

/** Somebody else has the head until the function is called that is returned. */
export async function headTaken(url: string): Promise<() => Promise<unknown>> {
  const admin = new pg.Client({ connectionString: url });
  await admin.connect();
  cleanup(() => admin.end());
  await admin.query('BEGIN');
  await admin.query('SELECT 1 FROM keep.head FOR UPDATE');
  return () => admin.query('COMMIT');
}

let database: Promise<string> | undefined;

/** A database in which nothing is: the same one for all tests of a process, as to make another takes longer. */
export async function emptyDatabase(): Promise<string> {
  database ??= newDatabase();
  const url = await database;
  await sql(url, 'DROP SCHEMA IF EXISTS keep, registry, public CASCADE', 'CREATE SCHEMA public');
  return url;
}

export async function postgresEngine(): Promise<KeepEngine> {
  const url = await emptyDatabase();
  return {
    isShared: true,
    open: () => openedAt(url),
    async expireLeases() {
      await sql(url, "UPDATE keep.lease SET until = now() - interval '1 second'");
    },
    async damage(service, { table, key, value }) {
      const changing = 'UPDATE keep.row SET value = $4 WHERE service = $1 AND tbl = $2 AND key = $3';
      await sql(url, [changing, [service, table, Buffer.from(key), value]]);
    },
    async backup() {
      const tables = ['head', 'mark', 'row'];
      const copy = (name: string) => [
        `DROP TABLE IF EXISTS public.${name}`,
        `CREATE TABLE public.${name} AS SELECT * FROM keep.${name}`,
      ];
      await sql(url, ...tables.flatMap(copy));
      const back = (name: string) => [
        `DELETE FROM keep.${name}`,
        `INSERT INTO keep.${name} SELECT * FROM public.${name}`,
      ];
      return () => sql(url, 'BEGIN', ...tables.flatMap(back), 'COMMIT');
    },
  };
}
