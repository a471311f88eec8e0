import pg from 'pg';
import { describe } from 'vitest';
import { systemClock } from '../../../src/lib/clock.js';
import { openPostgresRecords } from '../../../src/store/postgres/records/postgres-record-store.js';
import { newDatabase } from '../../support/shared-postgres.js';
import { type RecordEngine, recordStoreContract } from '../record-store-contract.js';

describe('with a real PostgreSQL', () => {
  let place: Promise<{ url: string; pool: pg.Pool }> | undefined;
  async function openPlace() {
    const url = await newDatabase();
    return { url, pool: new pg.Pool({ connectionString: url, max: 1, allowExitOnIdle: true }) };
  }
  const engine = async (): Promise<RecordEngine> => {
    place ??= openPlace();
    const { url, pool } = await place;
    const given = { url, connections: 3, statementMs: 30_000, clock: systemClock, random: Math.random };
    return {
      open: (_dataDir, options) => openPostgresRecords({ ...given, log: options.log }, options),
      remove: async () => {
        const tables = ['head', 'record', 'quad', 'secret'];
        await pool.query(tables.map((name) => `DELETE FROM connection.${name}`).join(';'));
      },
    };
  };
  recordStoreContract('postgres', engine, { isShared: true });
});
