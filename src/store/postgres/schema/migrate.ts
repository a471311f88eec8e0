import { UnusableData } from '../../unusable-data.js';
import { CLAIM_TABLE } from '../connection/claim.js';
import type { Session } from '../connection/session.js';
import { only } from '../connection/session.js';
import type { Migration } from './migrations.js';

/** What a migration needs of a database. */
export interface Migrated {
  change<T>(work: (session: Session) => Promise<T>): Promise<T>;
  write<T>(work: (session: Session) => Promise<T>): Promise<T>;
  readonly described: string;
}

interface VersionRow {
  readonly version: number;
}

/** Made once, and then by whoever comes first; the schema belongs to the tables in it. */
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
 * Brings the tables of an area to the layout that this release knows. Any number of nodes may do so at once: each step is
 * taken by one of them while the others wait for the row that says which steps have been taken.
 * @throws UnusableData when a newer release has been here
 */
export async function migrate(
  database: Migrated,
  area: string,
  migrations: readonly Migration[],
): Promise<void> {
  await prepareFoundation(database, area);
  const latest = migrations.at(-1)?.version ?? 0;
  for (;;) {
    const version = await database.write((session) => nextStep(session, area, migrations));
    if (version > latest) throw new UnusableData(newerSchema(database.described, version, latest));
    if (version === latest) return;
  }
}

/** Takes the first step that has not been taken; says up to which step all have been. */
async function nextStep(session: Session, area: string, migrations: readonly Migration[]): Promise<number> {
  const found = await session.rows<VersionRow>(
    'SELECT version FROM registry.schema_version WHERE area = $1 FOR UPDATE',
    [area],
  );
  const { version } = only(found, 'version of its tables');
  const next = migrations.find((migration) => migration.version > version);
  if (!next) return version;
  for (const statement of [...(await lacking(session, next)), ...next.statements])
    await session.rows(statement);
  await session.rows('UPDATE registry.schema_version SET version = $2 WHERE area = $1', [area, next.version]);
  return next.version;
}

async function lacking(session: Session, { completes = [] }: Migration): Promise<readonly string[]> {
  const found = await session.rows<{ name: string }>(
    "SELECT table_name || '.' || column_name AS name FROM information_schema.columns WHERE table_schema = 'registry'",
  );
  const there = new Set(found.map(({ name }) => name));
  return completes.flatMap(({ column, statements }) => (there.has(column.join('.')) ? [] : statements));
}

/** "If not exists" looks before it makes: of two nodes at once, one may fail with a duplicate, and then looks again. */
const DUPLICATE = /^(23505|42P06|42P07|42710)$/;
const TRIES = 10;

async function prepareFoundation(database: Migrated, area: string): Promise<void> {
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
    'INSERT INTO registry.schema_version (area, version) VALUES ($1, 0) ON CONFLICT DO NOTHING',
    [area],
  );
}

function isDuplicate(error: unknown): boolean {
  return error instanceof Error && 'code' in error && DUPLICATE.test(String(error.code));
}

export function newerSchema(place: string, found: number, known: number): string {
  return `The database ${place} has schema version ${found}, and this release knows ${known}: a newer version of the software has been here; run that, or give REGISTRY_STORE_URL another database`;
}
