import { UnusableData } from '../../unusable-data.js';
import { CLAIM_TABLE } from '../connection/claim.js';
import type { Session } from '../connection/session.js';
import { only } from '../connection/session.js';
import type { Layout } from './layout.js';

/** What making tables needs of a database. */
export interface Changeable {
  change<T>(work: (session: Session) => Promise<T>): Promise<T>;
  write<T>(work: (session: Session) => Promise<T>): Promise<T>;
  readonly described: string;
}

interface VersionRow {
  readonly version: number;
}

/** The version of an area that has no tables yet. */
const NONE = 0;

/** Made once, by the node that comes first; the schema belongs to the tables in it. */
const FOUNDATION = [
  'CREATE SCHEMA IF NOT EXISTS registry',
  'CREATE TABLE IF NOT EXISTS registry.schema_version (area text PRIMARY KEY, version integer NOT NULL)',
  `CREATE TABLE IF NOT EXISTS registry.commit_token (
     token text PRIMARY KEY,
     made timestamptz NOT NULL DEFAULT now()
   )`,
  CLAIM_TABLE,
];

/**
 * Makes the tables of an area where there are none. Any number of nodes may do so at once: one of them makes all of them
 * while the others wait for the row that says which layout there is.
 * @throws UnusableData when another version of the software has made them, with another layout
 */
export async function makeTables(database: Changeable, area: string, layout: Layout): Promise<void> {
  await prepareFoundation(database, area);
  const version = await database.write((session) => madeVersion(session, area, layout));
  if (version !== layout.version) throw otherLayout(database.described, version, layout.version);
}

/** Makes the tables if there are none. @returns the layout that there is then */
async function madeVersion(session: Session, area: string, layout: Layout): Promise<number> {
  const found = await session.rows<VersionRow>(
    'SELECT version FROM registry.schema_version WHERE area = $1 FOR UPDATE',
    [area],
  );
  const { version } = only(found, 'version of its tables');
  if (version !== NONE) return version;
  for (const statement of layout.statements) await session.rows(statement);
  await session.rows('UPDATE registry.schema_version SET version = $2 WHERE area = $1', [
    area,
    layout.version,
  ]);
  return layout.version;
}

/** "If not exists" looks before it makes: of two nodes at once, one may fail with a duplicate, and then looks again. */
const DUPLICATE = /^(23505|42P06|42P07|42710)$/;
const TRIES = 10;

async function prepareFoundation(database: Changeable, area: string): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      await database.change((session) => makeFoundation(session, area));
      return;
    } catch (error) {
      if (tries >= TRIES || !isDuplicate(error)) throw error;
    }
  }
}

async function makeFoundation(session: Session, area: string): Promise<void> {
  const known = await session.rows<{ exists: boolean }>(
    `SELECT true AS exists FROM information_schema.tables
     WHERE table_schema = 'registry' AND table_name = 'claim'`,
  );
  if (known.length === 0) for (const statement of FOUNDATION) await session.rows(statement);
  await session.rows(
    'INSERT INTO registry.schema_version (area, version) VALUES ($1, $2) ON CONFLICT DO NOTHING',
    [area, NONE],
  );
}

function isDuplicate(error: unknown): boolean {
  return error instanceof Error && 'code' in error && DUPLICATE.test(String(error.code));
}

/** Why a database with another layout is not opened. */
export function otherLayout(place: string, found: number, known: number): UnusableData {
  const way =
    found > known
      ? 'a newer version of the software has been here; run that, or give REGISTRY_STORE_URL another database'
      : 'it was made before version 0.2.0; start version 0.2.0 on it once, or import what its "export" writes into another database';
  return new UnusableData(
    `The database ${place} has schema version ${found}, and this version of the software knows ${known}: ${way}`,
  );
}
