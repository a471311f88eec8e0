import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Metadata } from '../../../src/component/metadata.js';
import type { Clock } from '../../../src/lib/clock.js';
import { PoolTransaction } from '../../../src/store/postgres/connection/transaction.js';
import type { RegistryStore } from '../../../src/store/registry-store.js';
import { OK, POD_A, POD_B, precedence } from '../../registry/sources.js';
import { cleanup } from '../../support/cleanup.js';
import { openTestStore } from '../../support/postgres-engine.js';
import { component, registryOptions, TestRegistry } from '../../support/registry.js';
import { newDatabase } from '../../support/shared-postgres.js';

/** All other nodes wait at the lock of the head while the server and a node talk behind it. */
describe('what a commit says to the database', () => {
  let store: RegistryStore;
  let registry: TestRegistry;
  /** The statements of each transaction, in their order. */
  let transactions: string[][];

  beforeEach(async () => {
    store = await openTestStore(await newDatabase());
    registry = new TestRegistry(await store.load(registryOptions({ precedence })));
    cleanup(() => registry.close());
    await say([component('old', { tag: ['t'] }), component('gone', { tag: ['t'] })]);
    await registry.upsertLocal([component('old'), component('own', { version: '1.0.0' })]);
    await registry.removeLocal(component('old').uri);
    await poll([]);
    transactions = [];
    const open = new Map<object, string[]>();
    const { query } = pg.Client.prototype;
    vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (
      this: pg.Client,
      ...asked: unknown[]
    ) {
      const [first] = asked as [string | { text: string }];
      const text = typeof first === 'string' ? first : first.text;
      if (/^BEGIN/.test(text)) transactions.push(open.set(this, []).get(this) ?? []);
      open.get(this)?.push(text);
      if (text === 'COMMIT') open.delete(this);
      return Reflect.apply(query, this, asked);
    } as never);
  });
  afterEach(() => vi.restoreAllMocks());

  const say = (components: Metadata[], url = POD_A.url) =>
    registry.commit({ source: POD_A, documents: [{ url, components, record: {} }], record: OK });

  async function poll(documents: { url: string; components: Metadata[]; record: object }[]) {
    const lease = await store.shared?.take(POD_B);
    transactions = [];
    await registry.commit({ source: POD_B, documents, record: { ...OK, lastAttempt: 7 }, lease });
  }

  it.each<[string, number, () => Promise<unknown>]>([
    ['a new component is posted', 7, () => registry.upsertLocal([component('new', { tag: ['t'] })])],
    ['one is posted that was removed before', 7, () => registry.upsertLocal([component('old')])],
    ['one says something else', 8, () => registry.upsertLocal([component('own', { label: 'Own' })])],
    ['one is removed', 7, () => registry.removeLocal(component('own').uri)],
    ['a document is read', 7, () => poll([{ url: POD_B.url, components: [component('b')], record: {} }])],
    ['a poll finds nothing new', 3, () => poll([])],
    ['a source is forgotten', 8, () => registry.forget(POD_A)],
    [
      'a document says some more, some else and some no longer',
      9,
      () => say([component('new', { tag: ['t'] }), component('old', { tag: ['u'] })]),
    ],
  ])('is one transaction of few statements: %s', async (_what, count, work) => {
    await work();
    const [statements = [], ...others] = transactions;
    expect(others).toEqual([]);
    expect(statements.at(-1)).toBe('COMMIT');
    expect(statements.length, statements.join('\n')).toBe(count);
  });
});

it('says something during work that takes so long that the server would end the transaction', async () => {
  const said: unknown[] = [];
  const client = {
    query: async (asked: string | { text: string }) => {
      said.push(typeof asked === 'string' ? asked : asked.text);
      return { rows: [] };
    },
  } as unknown as pg.PoolClient;
  let now = 0;
  const transaction = new PoolTransaction(client, { now: () => now } as Clock);
  await transaction.stay();
  await transaction.rows('SELECT 2');
  now += 2_000;
  await transaction.stay();
  now += 2_000;
  await transaction.stay();
  await transaction.stay();
  expect(said).toEqual(['BEGIN ISOLATION LEVEL READ COMMITTED; SELECT 2', 'SELECT 1']);
});
