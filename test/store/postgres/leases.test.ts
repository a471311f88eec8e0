import pg from 'pg';
import { describe, expect, it } from 'vitest';
import type { Source } from '../../../src/component/source.js';
import { type Lease, LeaseLost } from '../../../src/registry/shared-polls.js';
import type { SourceRecord } from '../../../src/registry/source-record.js';
import { POD_A, POD_B } from '../../registry/sources.js';
import { cleanup } from '../../support/cleanup.js';
import { openTestStore } from '../../support/postgres-engine.js';
import { component, registryOptions, TestRegistry } from '../../support/registry.js';
import { newDatabase } from '../../support/shared-postgres.js';
import { waitFor } from '../../support/wait-for.js';

/** `signMs`: how often it says that it is there. */
async function open(url: string, signMs = 100) {
  const store = await openTestStore(url, { signMs });
  cleanup(() => store.close());
  const registry = new TestRegistry(await store.load(registryOptions()));
  const { shared } = store;
  if (!shared) throw new Error('the engine shares no polls');
  return { registry, shared };
}

describe('leases of polls', () => {
  it('have one owner, whoever asks at the same time, until they are given back', async () => {
    const url = await newDatabase();
    const nodes = await Promise.all(Array.from({ length: 4 }, () => open(url)));
    const taken = await Promise.all(nodes.flatMap(({ shared }) => [shared.take(POD_A), shared.take(POD_A)]));
    expect(taken.filter((lease) => lease)).toHaveLength(1);
    const [other] = nodes;
    expect(await other?.shared.take(POD_B)).toBeDefined();
    await taken.find((lease) => lease)?.release();
    expect(await other?.shared.take(POD_A)).toBeDefined();
  });

  it('end by themselves when nothing is heard of their node, and last while it lives', async () => {
    const url = await newDatabase();
    const [one, silent, other] = [await open(url), await open(url, 1e9), await open(url)];
    const admin = new pg.Client({ connectionString: url });
    await admin.connect();
    cleanup(() => admin.end());
    await Promise.all([one.shared.take(POD_A), silent.shared.take(POD_B)]);
    // What is moved here is the time since the last word of the node.
    const since = (seconds: number) =>
      admin.query(`UPDATE registry.lease SET until = now() + interval '${15 - seconds} seconds'`);
    await since(14);
    await waitFor(async () => {
      const { rows } = await admin.query(
        "SELECT 1 FROM registry.lease WHERE until > now() + interval '10 seconds'",
      );
      return rows.length === 1;
    });
    await since(15);
    expect(await other.shared.take(POD_B)).toBeDefined();
    expect(await silent.shared.take(POD_B)).toBeUndefined();
  });

  it('last when they were taken by a transaction that started later than the one that asks', async () => {
    const url = await newDatabase();
    const [one, other] = [await open(url, 1e9), await open(url)];
    const admin = new pg.Client({ connectionString: url });
    await admin.connect();
    cleanup(() => admin.end());
    await one.shared.take(POD_A);
    await admin.query("UPDATE registry.lease SET until = until + interval '2 seconds'");
    expect(await other.shared.take(POD_A)).toBeUndefined();
  });

  it('count for nothing when the clock of the database was set back, and so do nodes of another registry', async () => {
    const url = await newDatabase();
    const [one, other] = [await open(url, 1e9), await open(url)];
    const admin = new pg.Client({ connectionString: url });
    await admin.connect();
    cleanup(() => admin.end());
    await one.shared.take(POD_A);
    // What was written lies in the future then.
    await admin.query("UPDATE registry.lease SET until = until + interval '40 days'");
    expect(await other.shared.take(POD_A)).toBeDefined();
    await admin.query(
      "UPDATE registry.node SET seen = seen + interval '40 days', base_url = 'http://other.example'",
    );
    await open(url);
  });

  it('end by themselves, too, when they were given back and the database does not know', async () => {
    const url = await newDatabase();
    const [one, other] = [await open(url), await open(url)];
    const admin = new pg.Client({ connectionString: url });
    await admin.connect();
    cleanup(() => admin.end());
    const lease = await one.shared.take(POD_A);
    // As a standby has it that was promoted before it heard of the end of the lease.
    await admin.query('CREATE TABLE kept AS SELECT * FROM registry.lease');
    await lease?.release();
    await admin.query('INSERT INTO registry.lease SELECT * FROM kept');
    await admin.query("UPDATE registry.lease SET until = now() + interval '1 second'");
    expect(await other.shared.take(POD_A)).toBeUndefined();
    await waitFor(async () => (await other.shared.take(POD_A)) !== undefined);
  });

  it('come with what is stored, and nodes hear what others have stored after a poll', async () => {
    const url = await newDatabase();
    const [one, other] = [await open(url), await open(url)];
    const heard: [Source, SourceRecord][] = [];
    const own: Source[] = [];
    other.shared.watch((source, record) => heard.push([source, record]));
    one.shared.watch((source) => own.push(source));
    const record = { failures: 0, lastAttempt: 7, nextAttempt: 9 };
    await one.registry.commit({ source: POD_A, documents: [], record });
    await waitFor(() => heard.length > 0);
    // Only the end of a poll is told, not what is noted in the middle of one.
    await one.registry.commit({ source: POD_A, documents: [], record: { ...record, unfinished: 1 } });
    await one.registry.commit({ source: POD_B, documents: [], record });
    await waitFor(() => heard.length > 1);
    expect(heard).toEqual([
      [POD_A, record],
      [POD_B, record],
    ]);
    expect(own).toEqual([]);
    expect((await other.shared.take(POD_B))?.record).toEqual(record);
  });

  it('fence: what a node has read before it was paused does not replace what another has read since', async () => {
    const url = await newDatabase();
    const [paused, other] = [await open(url, 1e9), await open(url)];
    const admin = new pg.Client({ connectionString: url });
    await admin.connect();
    cleanup(() => admin.end());
    const say = ({ registry }: typeof paused, lease: Lease | undefined, names: string[], attempt: number) =>
      registry.commit({
        ...{ source: POD_A, record: { failures: 0, lastAttempt: attempt } },
        documents: [{ url: `${POD_A.url}doc`, components: names.map((name) => component(name)), record: {} }],
        ...(lease ? { lease } : {}),
      });
    const old = await paused.shared.take(POD_A);
    // In the middle of its poll, a node commits as often as it likes, also when its lease has run out and nobody wanted it.
    await say(paused, old, ['a'], 1);
    await admin.query('UPDATE registry.lease SET until = now()');
    await say(paused, old, ['a', 'b'], 1);
    const newer = await other.shared.take(POD_A);
    await say(other, newer, ['a', 'c'], 2);
    await expect(say(paused, old, ['a', 'b', 'd'], 1)).rejects.toThrow(LeaseLost);
    expect(await paused.registry.labels()).toEqual(['a', 'c']);
    // Giving it back takes nothing from its new owner, and the end of that one's poll gives the old one no right, either.
    await old?.release();
    expect(await paused.shared.take(POD_A)).toBeUndefined();
    await newer?.release();
    await expect(say(paused, old, ['a', 'b'], 1)).rejects.toThrow(LeaseLost);
    await say(paused, await paused.shared.take(POD_A), ['a'], 3);
    expect(await other.registry.labels()).toEqual(['a']);
  });

  it('fence off a commit of which the database has lost an earlier one of the same poll', async () => {
    const url = await newDatabase();
    const node = await open(url);
    const admin = new pg.Client({ connectionString: url });
    await admin.connect();
    cleanup(() => admin.end());
    const lease = await node.shared.take(POD_A);
    const { rows } = await admin.query('SELECT * FROM registry.lease');
    const documents = (name: string) => [
      { url: `${POD_A.url}${name}`, components: [component(name)], record: {} },
    ];
    const poll = { source: POD_A, record: { failures: 0 }, ...(lease ? { lease } : {}) };
    await node.registry.commit({ ...poll, documents: documents('portion') });
    // As after a failover that has kept the lease and lost the portion.
    const [{ token }] = rows;
    await admin.query('UPDATE registry.lease SET token = $1', [token]);
    await expect(node.registry.commit({ ...poll, documents: documents('end') })).rejects.toThrow(LeaseLost);
  });
});
