import type { QueryResultRow } from 'pg';
import pg from 'pg';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Query } from '../../../src/component/query.js';
import { LOCAL } from '../../../src/component/source.js';
import { precedenceOf } from '../../../src/core/precedence.js';
import type { ChangesRequest } from '../../../src/registry/changes.js';
import { descriptionsOf } from '../../../src/registry/page.js';
import type { Database } from '../../../src/store/postgres/connection/database.js';
import { typesOf } from '../../../src/store/postgres/connection/driver.js';
import type { Session } from '../../../src/store/postgres/connection/session.js';
import { PostgresCatalog } from '../../../src/store/postgres/postgres-catalog.js';
import { PublishedState } from '../../../src/store/postgres/published-state.js';
import { POD_A } from '../../registry/sources.js';
import { cleanup } from '../../support/cleanup.js';
import { openTestStore } from '../../support/postgres-engine.js';
import { component, registryOptions, TestRegistry } from '../../support/registry.js';
import { newDatabase } from '../../support/shared-postgres.js';
import { waitFor } from '../../support/wait-for.js';

/** Components in the database: several times as many as anything may read. */
const ALL = 60_000;
/** Rows of one table that a question may have the server read. */
const MOST = 12_500;

interface Plan {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly Plan[];
}

interface Read {
  readonly table: string;
  readonly how: string;
  readonly rows: number;
  readonly sql: string;
}

const PATIENCE = { timeoutMs: 60_000, describe: 'a server that can tell all rows to be seen' };
const LARGE = new Set(['statement', 'posting', 'tombstone']);

/** What a plan that was carried out has read of the large tables. */
function readsOf(plan: Plan, sql: string): Read[] {
  const inside = (plan.Plans ?? []).flatMap((one) => readsOf(one, sql));
  const table = plan['Relation Name'];
  if (table === undefined || !LARGE.has(table)) return inside;
  const rows = (plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0)) * plan['Actual Loops'];
  return [...inside, { table, how: plan['Node Type'], rows, sql: sql.slice(0, 300) }];
}

/**
 * Has the server know every row, where it draws some by lot otherwise, and that all of them may be seen: while any other
 * transaction is open, `VACUUM` leaves that undone, and then the server takes another way than the index alone.
 */
async function inGoodOrder(client: pg.Client): Promise<void> {
  await client.query('SET default_statistics_target = 10000');
  await waitFor(async () => {
    await client.query('VACUUM ANALYZE');
    const { rows } = await client.query<{ relname: string }>(
      `SELECT relname FROM pg_class WHERE relnamespace = 'registry'::regnamespace AND relname = ANY($1)
       AND relallvisible < relpages`,
      [[...LARGE]],
    );
    return rows.length === 0;
  }, PATIENCE);
}

describe('what a stranger may ask', () => {
  const reads: Read[] = [];
  let catalog: PostgresCatalog;
  /** On a server without trigrams. */
  let unaided: PostgresCatalog;

  beforeAll(async () => {
    const url = await newDatabase();
    const store = await openTestStore(url);
    const client = new pg.Client({ connectionString: url, types: typesOf(pg) });
    await client.connect();
    cleanup(() => client.end());
    // The server does it at a time of its own choosing, and what it has just seen of a table decides the plans.
    for (const table of LARGE)
      await client.query(`ALTER TABLE registry.${table} SET (autovacuum_enabled = off)`);
    const precedence = precedenceOf({ pods: [POD_A.url], peers: [] });
    const registry = new TestRegistry(await store.load(registryOptions({ precedence })));
    cleanup(() => registry.close());
    const components = Array.from({ length: ALL }, (_, i) =>
      component(`c${i}`, {
        version: `1.${i % 50}.0`,
        description: `The component number ${i}`,
        author: [`https://a${i % 300}.example/#me`],
        tag: ['common', `t${i % 500}`, `half${i % 2}`, ...(i === ALL - 1 ? ['\u7167\u7247'] : [])],
        ...(i % 2 === 0 ? { capability: [{ action: 'odrl:modify' }, { accept: ['text/turtle'] }] } : {}),
        shapes: [`https://s.example/${i % 200}`, 'https://s.example/common'],
      }),
    );
    for (let at = 0; at < ALL; at += 10_000) {
      const documents = [
        { url: `${POD_A.url}${at}`, components: components.slice(at, at + 10_000), record: {} },
      ];
      await registry.commit({ source: POD_A, documents, record: { failures: 0 } });
    }
    await registry.upsertLocal([component('own')]);
    await inGoodOrder(client);
    const session: Session = {
      rows: async <R extends QueryResultRow>(text: string, values: readonly unknown[] = []) => {
        const { rows } = await client.query(`EXPLAIN (ANALYZE, FORMAT JSON) ${text}`, [...values]);
        for (const { Plan } of rows[0]['QUERY PLAN']) reads.push(...readsOf(Plan, text));
        return (await client.query<R>(text, [...values])).rows;
      },
    };
    const run = <T>(work: (session: Session) => Promise<T>) => work(session);
    const database = {
      read: run,
      readConsistently: run,
    } as unknown as Database;
    const published = new PublishedState(Math.random);
    await published.refresh(session);
    catalog = new PostgresCatalog({ database, published, areWordsIndexed: true });
    unaided = new PostgresCatalog({ database, published, areWordsIndexed: false });
  }, 120_000);

  /** Asks, and says what was read in whole or in large part. */
  async function tooMuch(ask: () => Promise<unknown>): Promise<Read[]> {
    reads.length = 0;
    await ask();
    return reads.filter(
      ({ table, how, rows }) => (how === 'Seq Scan' && table !== 'tombstone') || rows > MOST,
    );
  }

  const FIELDS = ['tag', 'author', 'shapes'] as const;
  it.each<[string, Query]>([
    ['everything', {}],
    ['a common shape', { shapes: ['https://s.example/common'] }],
    ['a rare shape', { shapes: ['https://s.example/7'] }],
    ['two conditions that much has', { shapes: ['https://s.example/common'], tag: ['common'] }],
    ['two of which hardly anything has one', { shapes: ['https://s.example/common'], tag: ['t7'] }],
    ['nothing', { tag: ['none'] }],
    ['a description', { description: 'The component number 777' }],
    ['a description that nobody has', { description: 'none' }],
    ['the latest', { latest: true }],
    ['a label', { label: 'c777' }],
    ['a version', { version: '1.7.0' }],
    ['a range of versions', { version: '^1.48' }],
    ['a wide range of versions', { version: '>=1.3' }],
    ['one uri', { uri: component('c777').uri }],
    ['the source of nearly everything', { source: POD_A.url }],
    ['the source of one', { source: LOCAL.url }],
    ['a source of nothing', { source: 'https://none.example/' }],
    ['what is the node’s own', { trust: 'own' }],
    ['what is configured', { trust: 'configured' }],
    ['what is learned', { trust: 'learned' }],
    ['a word that everything has', { q: 'component' }],
    ['a word that hardly anything has', { q: '59876' }],
    ['words that nothing has', { q: 'component xyzzy' }],
    ['a part of a word that nothing has', { q: 'zq' }],
    ['a word that no trigrams are made of', { q: '\u7167\u7247' }],
    ['a word that nothing has of a common shape', { q: 'xyzzy', shapes: ['https://s.example/common'] }],
    ['capabilities that much has', { action: 'odrl:modify' }],
    ['one capability of two criteria', { action: 'odrl:display', accept: 'text/turtle' }],
    ['criteria that different capabilities meet', { action: 'odrl:modify', accept: 'text/turtle' }],
  ])('reads no more than a part of it: %s', async (_what, query) => {
    expect(await tooMuch(() => catalog.page(query, { limit: 40 }))).toEqual([]);
    expect(await tooMuch(() => catalog.page(query, { limit: 40, after: component('c4').uri }))).toEqual([]);
    expect(await tooMuch(() => catalog.counts(query, FIELDS))).toEqual([]);
    expect(await tooMuch(() => catalog.newest(query, 50))).toEqual([]);
  });

  it.each<[string, Query]>([
    ['a word', { q: '59876' }],
    ['a word that nothing has', { q: 'xyzzy' }],
  ])('reads a part at a time where there are no trigrams: %s', async (_what, query) => {
    expect(await tooMuch(() => unaided.page(query, { limit: 40 }))).toEqual([]);
    expect(await tooMuch(() => unaided.page(query))).toEqual([]);
    expect(await tooMuch(() => unaided.counts(query, FIELDS))).toEqual([]);
    expect((await unaided.counts(query, [])).isTotalCapped).toBe(true);
  });

  it.each([{ limit: 40 }, {}])('finds on further pages what is not found at once', async (request) => {
    const found: string[] = [];
    let pages = 0;
    for (let after: string | undefined; ; pages++) {
      const page = await unaided.page({ q: '\u7167\u7247' }, { ...request, after });
      found.push(...(await descriptionsOf(page)).map(({ metadata }) => metadata.uri));
      if (page.next === undefined) break;
      after = page.next;
    }
    expect(found).toEqual([component(`c${ALL - 1}`).uri]);
    expect(pages).toBe(30);
  });

  it('counts exactly what it counts at each commit, and says where it does not', async () => {
    const all = await catalog.counts({}, FIELDS);
    expect([all.total, all.isTotalCapped, all.areValuesCapped]).toEqual([ALL + 1, undefined, undefined]);
    expect([all.by.tag.get('common'), all.by.tag.get('t7'), all.by.shapes.size]).toEqual([
      ALL,
      ALL / 500,
      201,
    ]);
    const shape = await catalog.counts({ shapes: ['https://s.example/common'] }, FIELDS);
    expect([shape.total, shape.isTotalCapped, shape.areValuesCapped]).toEqual([ALL, undefined, true]);
    const both = await catalog.counts({ shapes: ['https://s.example/common'], tag: ['half1'] }, FIELDS);
    expect([both.total, both.isTotalCapped, both.areValuesCapped]).toEqual([1_000, true, true]);
    const few = await catalog.counts({ shapes: ['https://s.example/common'], tag: ['t7'] }, FIELDS);
    expect([few.total, few.isTotalCapped, few.areValuesCapped]).toEqual([ALL / 500, undefined, undefined]);
    expect(few.by.tag.get('common')).toBe(ALL / 500);
  });

  it('counts those values that most components have, where not all are wanted', async () => {
    const { by } = await catalog.counts({}, FIELDS, 3);
    expect([...by.tag]).toEqual([
      ['common', ALL],
      ['half0', ALL / 2],
      ['half1', ALL / 2],
    ]);
    expect(by.author.size).toBe(3);
  });

  it('finds the newest of everything, of much and of little', async () => {
    const found = async (query: Query, count: number) =>
      (await catalog.newest(query, count)).map(({ metadata }) => metadata.uri);
    const last = component(`c${ALL - 1}`).uri;
    expect(await found({}, 2)).toEqual([component('own').uri, last]);
    expect(await found({ tag: ['common'], q: 'component' }, 1)).toEqual([last]);
    expect(await found({ tag: ['half0'] }, 1)).toEqual([component(`c${ALL - 2}`).uri]);
    expect(await found({ tag: ['t7'] }, 500)).toHaveLength(ALL / 500);
    expect(await found({ tag: ['none'] }, 1)).toEqual([]);
    expect(await unaided.newest({ q: '59999' }, 1)).toHaveLength(1);
  });

  it.each<[string, Omit<ChangesRequest, 'limit'>]>([
    ['from the beginning', {}],
    ['behind a position', { after: 30_000 }],
    ['of a kind that much has', { kinds: ['pod'] }],
    ['of a kind that one has', { kinds: ['local'] }],
    ['of a kind that nobody has', { kinds: ['peer'] }],
    ['of one source', { source: POD_A, after: 30_000 }],
    ['of one component', { uri: component('c777').uri }],
  ])('tells changes without reading them all: %s', async (_what, request) => {
    expect(await tooMuch(() => catalog.changes({ ...request, limit: 100 }))).toEqual([]);
  });

  it('tells all changes of a kind, however many others are passed over', async () => {
    const found: string[] = [];
    for (let after = 0, asked = 0; ; asked++) {
      const told = await catalog.changes({ kinds: ['local'], after, limit: 100 });
      if ('unknown' in told) throw new Error(told.unknown);
      found.push(...told.changes.map(({ uri }) => uri));
      if (told.next === undefined) break;
      expect([told.next > after, asked < 10]).toEqual([true, true]);
      after = told.next;
    }
    expect(found).toEqual([component('own').uri]);
  });
});
