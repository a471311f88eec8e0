import { createHash } from 'node:crypto';
import pg from 'pg';
import { beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/lib/clock.js';
import { openDatabase } from '../../../src/store/postgres/open-database.js';
import { migrate } from '../../../src/store/postgres/schema/migrate.js';
import { MIGRATIONS } from '../../../src/store/postgres/schema/migrations.js';
import { cleanup } from '../../support/cleanup.js';
import { openTestStore } from '../../support/postgres-engine.js';
import { registryOptions, TestRegistry } from '../../support/registry.js';
import { newDatabase } from '../../support/shared-postgres.js';

const COUNTS = [
  'DROP TABLE registry.term_count',
  'DROP INDEX registry.statement_document_served',
  'CREATE INDEX statement_document ON registry.statement (document)',
];
const SAID = ['ALTER TABLE registry.statement DROP COLUMN said_at', ...COUNTS];
const OUTCOMES = ['DROP INDEX registry.commit_token_made', ...SAID];
const FENCES = ['ALTER TABLE registry.lease DROP COLUMN token', ...OUTCOMES];
const SAID_BY = ['DROP INDEX registry.document_said_by', 'DROP INDEX registry.document_trust'];
const POLLS = [
  'ALTER TABLE registry.source DROP COLUMN polled, DROP COLUMN polled_by',
  'DROP TABLE registry.poll',
];

/** Steps of the layout have grown after programs had taken them. What the tables of these programs lack, by their commits. */
const FORMS = [
  { of: '7368a813', layout: 1, lacks: POLLS },
  { of: 'a7876c2f', layout: 2, lacks: POLLS },
  { of: 'e2825a51, the last 0.1.0', layout: 4, lacks: FENCES },
  { of: '88ce9149', layout: 4, lacks: OUTCOMES },
  { of: '45bdcbdb', layout: 4, lacks: SAID },
  { of: '84ea0ff3', layout: 4, lacks: COUNTS },
  { of: '513181c8', layout: 5, lacks: [...COUNTS, ...SAID_BY] },
  { of: 'ff1fbf69', layout: 5, lacks: SAID_BY, counts: true },
  // A later program took the steps that it could.
  { of: 'e2825a51, and then 288411bb, which did not start', layout: 6, lacks: FENCES },
];

/** Of the steps as they are. One that fails here must not be changed; add a step, or a completion (`Completion`) to a new one. */
const HASHES = ['TmhM1U1E', 'HHCF3zHm', '8YM6Plwu', 'IAm2vVw4', 'seXK/RpO', 'SBe2cPOo', '+aim6xHC'];

const URI = 'https://c.example/a.js';
/** What each of them wrote of one component: its columns were there from the first layout on. */
const ROWS = [
  `INSERT INTO registry.head (id, version, epoch, revision, since, network_revision, network_since, network, components,
     position, changed_at, floor, digest, states, tombstones, base_url, namespace, served_as)
   VALUES (1, 1, 'e', 1, 0, 0, 0, '{"peers":[],"storage":[]}', 1, 1, 0, 0, '', 0, 0, '', '', '')`,
  `INSERT INTO registry.source (id, key, kind, url, record, rank, count)
   VALUES (1, 'k', 'pod', 'https://a.example/', '{"failures":0}', 0, 1)`,
  `INSERT INTO registry.document (id, source, key, url, rank, record, components)
   VALUES (1, 1, 'd', 'https://a.example/doc', 0, '{}', 1)`,
  `INSERT INTO registry.statement (uri, document, source, payload, search, position, changed_at, is_update, served)
   VALUES ('${URI}', 1, 1,
     '{"uri":"${URI}","label":"a","description":"d","author":[],"tag":["t"],"shapes":[]}', '', 1, 0, false, true)`,
  `INSERT INTO registry.posting (term, uri) VALUES ('la', '${URI}'), ('tt', '${URI}')`,
];
/** And those that count. */
const COUNTED_ROWS = [
  `INSERT INTO registry.posting (term, uri) VALUES ('d' || md5('d'), '${URI}')`,
  "INSERT INTO registry.term_count (term, count) VALUES ('tt', 1)",
];

async function onDatabase<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

const run = (url: string, statements: readonly string[]) =>
  onDatabase(url, async (client) => {
    for (const statement of statements) await client.query(statement);
  });

/** All columns and indexes. */
const tablesOf = (url: string) =>
  onDatabase(url, async (client) => {
    const columns = await client.query(
      `SELECT table_name, column_name, data_type, is_nullable FROM information_schema.columns
       WHERE table_schema = 'registry' ORDER BY 1, 2`,
    );
    const indexes = await client.query(
      "SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = 'registry' ORDER BY 1",
    );
    return { columns: columns.rows, indexes: indexes.rows };
  });

async function databaseAt(layout: number, statements: readonly string[]): Promise<string> {
  const url = await newDatabase();
  const database = await openDatabase({
    ...{ url, connections: 1, patienceMs: 0, statementMs: 5_000 },
    ...{ clock: systemClock, random: Math.random, log: { warn: () => undefined } },
  });
  await migrate(database, 'registry', MIGRATIONS.slice(0, layout));
  await database.close();
  await run(url, statements);
  return url;
}

async function open(url: string): Promise<TestRegistry> {
  const store = await openTestStore(url);
  cleanup(() => store.close());
  return new TestRegistry(await store.load(registryOptions()));
}

it('steps that programs have taken stay as they are: what one of them lacks is made by another step', () => {
  const hashes = MIGRATIONS.map((step) =>
    createHash('sha256').update(JSON.stringify(step)).digest('base64').slice(0, 8),
  );
  expect(hashes.slice(0, 7)).toEqual(HASHES);
});

describe('databases of earlier programs', () => {
  let fresh: Awaited<ReturnType<typeof tablesOf>>;
  beforeAll(async () => {
    const url = await newDatabase();
    await open(url);
    fresh = await tablesOf(url);
  });

  it.each(FORMS)('of $of get what later forms of the same steps have', async ({ layout, lacks, counts }) => {
    const url = await databaseAt(layout, [...lacks, ...ROWS, ...(counts ? COUNTED_ROWS : [])]);
    const registry = await open(url);
    expect(await tablesOf(url)).toEqual(fresh);
    expect(await registry.list({ description: 'd' })).toMatchObject([{ uri: URI, label: 'a' }]);
    expect([...(await registry.catalog.counts({}, ['tag'])).by.tag]).toEqual([['t', 1]]);
  });

  it('forget pins that may be promises of anybody, and no others', async () => {
    const pins = [
      `INSERT INTO registry.pin (key, is_changed, value) VALUES ('${URI} 1', true, '{}')`,
      `UPDATE registry.statement SET pin = '{"integrity":"sha384-never"}'`,
    ];
    const kept = (url: string) =>
      onDatabase(url, async (client) => (await client.query('SELECT pin FROM registry.statement')).rows);
    const open0 = await databaseAt(4, [...FENCES, ...ROWS, ...pins]);
    await (await openTestStore(open0)).close();
    expect(await kept(open0)).toEqual([{ pin: null }]);
    const later = await databaseAt(5, [...COUNTS, ...ROWS, ...pins]);
    await (await openTestStore(later)).close();
    expect(await kept(later)).toEqual([{ pin: '{"integrity":"sha384-never"}' }]);
  });
});
