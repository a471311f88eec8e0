import { describe, expect, it } from 'vitest';
import type { Connection } from '../../../src/connection/records/connection.js';
import { RECORD_LAYOUT, Records } from '../../../src/connection/records/records.js';
import { cursorOf } from '../../../src/core/cursor.js';
import { feedDigest } from '../../../src/core/source-digests.js';
import { entityTags } from '../../../src/http/entity-tags.js';
import { systemClock } from '../../../src/lib/clock.js';
import { openPostgresRecords } from '../../../src/store/postgres/records/postgres-record-store.js';
import { cleanup } from '../../support/cleanup.js';
import { openTestStore } from '../../support/postgres-engine.js';
import { ASYNCHRONOUS, primaryWithStandby } from '../../support/postgres-pair.js';
import { PostgresServer } from '../../support/postgres-server.js';
import { component, registryOptions, TestRegistry } from '../../support/registry.js';
import { waitFor } from '../../support/wait-for.js';

async function open(url: string): Promise<TestRegistry> {
  const store = await openTestStore(url, { patienceMs: 5_000 });
  cleanup(() => store.close());
  return new TestRegistry(await store.load(registryOptions({ random: Math.random })));
}

/** The digest of a state is that of its lines, and these are those of the statements that there are. */
async function expectTrueDigest(registry: TestRegistry): Promise<void> {
  const { feed, networkRevision } = await registry.state();
  expect(feed.digest).toBe(feedDigest(feed.sources, networkRevision.number));
  const counted = feed.sources.reduce((sum, { count }) => sum + count, 0);
  expect((await registry.everything()).length).toBe(counted);
}

const QUIET = { warn: () => undefined };

function connection(uri: string): Connection {
  return { uri, holder: 'https://alice.example/#me' } as Connection;
}

async function tagOf(registry: TestRegistry): Promise<string> {
  return entityTags([])((await registry.state()).revision, 'json');
}

async function unknown(registry: TestRegistry, since: ReturnType<typeof cursorOf>) {
  const answer = await registry.catalog.changes({ since, limit: 10 });
  return 'unknown' in answer ? answer.unknown : undefined;
}

describe('a database that has lost commits', () => {
  it('after a failover tells another history, and all nodes follow it', async () => {
    const { primary, standby, url, hasAll } = await primaryWithStandby();
    const [one, other] = [await open(url), await open(url)];
    await one.upsertLocal([component('kept')]);
    await waitFor(hasAll);
    // From here on, the standby hears of nothing.
    await standby.set({ primary_conninfo: '' });
    await waitFor(async () => (await primary.query('SELECT 1 FROM pg_stat_replication')).length === 0);
    const kept = await one.state();
    await one.upsertLocal([component('lost-1')]);
    await one.upsertLocal([component('lost-2')]);
    const lost = await one.state();
    const lostTag = await tagOf(one);
    await waitFor(async () => (await other.size()) === 3);

    await primary.kill();
    await standby.promote();
    for (const registry of [one, other]) {
      await waitFor(async () => (await registry.size()) === 1);
      expect(await registry.labels()).toEqual(['kept']);
      expect((await registry.state()).revision.epoch).not.toBe(lost.revision.epoch);
      expect(await unknown(registry, cursorOf(lost))).toBe('epoch');
      await expectTrueDigest(registry);
    }
    await waitFor(async () => JSON.stringify(await one.state()) === JSON.stringify(await other.state()));
    // As many commits as were lost: the same numbers, and other contents.
    await other.upsertLocal([component('new-1')]);
    await other.upsertLocal([component('new-2')]);
    await waitFor(async () => (await one.size()) === 3);
    for (const registry of [one, other]) {
      expect(await registry.labels()).toEqual(['kept', 'new-1', 'new-2']);
      expect(await tagOf(registry)).not.toBe(lostTag);
      await expectTrueDigest(registry);
    }
    expect(kept.revision.epoch).toBe(lost.revision.epoch);
  });

  it('is noticed by the first commit after a failover, too, whichever number it has', async () => {
    const { primary, standby, url, hasAll } = await primaryWithStandby();
    const [one, other] = [await open(url), await open(url)];
    await one.upsertLocal([component('kept')]);
    await waitFor(hasAll);
    await standby.set({ primary_conninfo: '' });
    await waitFor(async () => (await primary.query('SELECT 1 FROM pg_stat_replication')).length === 0);
    await one.upsertLocal([component('lost')]);
    await waitFor(async () => (await other.size()) === 2);
    const [lost, lostTag] = [await one.state(), await tagOf(one)];
    await primary.kill();
    await standby.promote();
    // Before either node looks: what was acknowledged is seen by who wrote it, and no number is used twice.
    await one.upsertLocal([component('new')]);
    expect(await one.labels()).toEqual(['kept', 'new']);
    expect((await one.state()).revision.epoch).not.toBe(lost.revision.epoch);
    expect(await tagOf(one)).not.toBe(lostTag);
    await expectTrueDigest(one);
    await waitFor(async () => JSON.stringify(await one.state()) === JSON.stringify(await other.state()));
    expect(await unknown(other, cursorOf(lost))).toBe('epoch');
    // Nodes that are started now are told the same.
    expect(await (await open(url)).state()).toEqual(await one.state());
  });

  it('from a backup is another history under nodes that run', async () => {
    const server = await PostgresServer.start(ASYNCHRONOUS);
    cleanup(() => server.remove());
    const url = await server.createDatabase();
    const [one, other] = [await open(url), await open(url)];
    await one.upsertLocal([component('kept')]);
    const backup = await server.backUp();
    await waitFor(async () => (await one.labels()).length === 1);
    for (const name of ['lost-1', 'lost-2', 'lost-3']) await one.upsertLocal([component(name)]);
    await waitFor(async () => (await other.size()) === 4);
    const lost = await one.state();
    await server.restore(backup);
    for (const registry of [other, one]) {
      await waitFor(async () => (await registry.size()) === 1);
      expect(await unknown(registry, cursorOf(lost))).toBe('epoch');
      await expectTrueDigest(registry);
    }
    await one.upsertLocal([component('new')]);
    await waitFor(async () => (await other.size()) === 2);
    expect(await other.labels()).toEqual(['kept', 'new']);
  });

  it('and nothing of what was shown goes on as before: no reader is sent away', async () => {
    const { primary, standby, url, hasAll } = await primaryWithStandby();
    const registry = await open(url);
    await registry.upsertLocal([component('kept')]);
    await waitFor(hasAll);
    const before = await registry.state();
    await primary.kill();
    await standby.promote();
    await registry.upsertLocal([component('new')]);
    const after = await registry.state();
    expect(after.revision.epoch).toBe(before.revision.epoch);
    expect(after.feed.position).toBe(before.feed.position + 1);
    expect(await unknown(registry, cursorOf(before))).toBeUndefined();
  });

  it('has lost records of the connection service, too, and no node answers from its memory', async () => {
    const server = await PostgresServer.start(ASYNCHRONOUS);
    cleanup(() => server.remove());
    const url = await server.createDatabase();
    const options = {
      url,
      connections: 3,
      statementMs: 30_000,
      clock: systemClock,
      random: Math.random,
      log: QUIET,
    };
    const open = async () => Records.open(await openPostgresRecords(options, { layout: RECORD_LAYOUT }));
    const [one, other] = [await open(), await open()];
    cleanup(() => Promise.all([one.close(), other.close()]));
    const say = (records: Records, uri: string) =>
      records.change(() => ({ changes: [{ kind: 'connection', put: connection(uri) }], result: undefined }));
    const uris = (records: Records) => records.connections.list({}).map(({ record }) => record.uri);
    await say(one, 'https://kept.example/');
    const backup = await server.backUp();
    await waitFor(() => say(one, 'https://lost.example/').then(() => true));
    await waitFor(() => uris(other).length === 2);
    await server.restore(backup);
    for (const records of [one, other]) await waitFor(() => uris(records).length === 1);
    // The same number of changes, and another one.
    await say(other, 'https://new.example/');
    await waitFor(() => uris(one).length === 2);
    expect(uris(one)).toEqual(['https://new.example/', 'https://kept.example/']);
  });
});
