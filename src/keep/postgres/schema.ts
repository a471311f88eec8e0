import { KeepUnusable } from '../faults.js';
import type { Query } from './database.js';
import { codeOf } from './failure.js';

/** Raised by a change that other releases would misread. */
const LAYOUT = 4;

/**
 * SQL that PostgreSQL, YugabyteDB and CockroachDB understand alike: B-trees only, keys as bytes (no collation orders those otherwise), no
 * sequence (its numbers come in another order than commits), no notification. Everything is found by key, or by version.
 */
const TABLES = [
  'CREATE SCHEMA IF NOT EXISTS keep',
  'CREATE TABLE IF NOT EXISTS keep.layout (id integer PRIMARY KEY, version integer NOT NULL)',
  // Before the last table, by which other nodes know that all is there.
  `INSERT INTO keep.layout (id, version) VALUES (1, ${LAYOUT}) ON CONFLICT DO NOTHING`,
  `CREATE TABLE IF NOT EXISTS keep.head (
     service text PRIMARY KEY, epoch text NOT NULL, version bigint NOT NULL, mark text NOT NULL)`,
  // The heads there have been, so that one of another history is told from one that is only behind.
  `CREATE TABLE IF NOT EXISTS keep.mark (
     service text NOT NULL, version bigint NOT NULL, mark text NOT NULL, PRIMARY KEY (service, version))`,
  `CREATE TABLE IF NOT EXISTS keep.row (
     service text NOT NULL, tbl text NOT NULL, key bytea NOT NULL, value text, seal bigint NOT NULL,
     version bigint NOT NULL, PRIMARY KEY (service, tbl, key))`,
  'CREATE INDEX IF NOT EXISTS row_version ON keep.row (service, version, tbl, key)',
  // Rows that were deleted have no value: they stay for those who follow, and are forgotten later.
  'CREATE INDEX IF NOT EXISTS row_gone ON keep.row (service, version) WHERE value IS NULL',
  `CREATE TABLE IF NOT EXISTS keep.lease (
     service text NOT NULL, name text NOT NULL, fence text NOT NULL, until timestamptz NOT NULL,
     PRIMARY KEY (service, name))`,
];
/** "If not exists" looks before it makes: of two nodes at once, one may fail with a duplicate of what the other has made. */
const DUPLICATE = /^(23505|42P06|42P07|42710)$/;

/**
 * Makes the tables where there are none. Any number of nodes may do so at once.
 * @param place the database, for messages @throws KeepUnusable
 */
export async function prepareTables(query: Query, place: string): Promise<void> {
  const tables = await query<{ name: string }>(
    `SELECT table_schema || '.' || table_name AS name FROM information_schema.tables
     WHERE table_schema IN ('keep', 'registry')`,
  );
  const names = new Set(tables.map(({ name }) => name));
  if (names.has('registry.schema_version'))
    throw new KeepUnusable(
      `The database ${place} has the tables of version 0.2.0 of the software or of an older one: ` +
        'export it with that version, give REGISTRY_STORE_URL an empty database, and import the file there',
    );
  for (const statement of names.has('keep.lease') ? [] : TABLES)
    await query(statement).catch((error) => {
      if (!DUPLICATE.test(codeOf(error) ?? '')) throw error;
    });
  const [layout] = await query<{ version: number }>('SELECT version FROM keep.layout WHERE id = 1');
  if (layout?.version !== LAYOUT)
    throw new KeepUnusable(
      `The database ${place} has the layout ${layout?.version}, and this release knows ${LAYOUT}: ` +
        'run the release that made it, or give REGISTRY_STORE_URL another database',
    );
}
