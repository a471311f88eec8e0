import { beforeEach, describe, expect, test } from 'vitest';
import type { Connection } from '../../../src/connection/records/connection.js';
import { type Invite, newInvite } from '../../../src/connection/records/invite.js';
import { type RecordChange, Records } from '../../../src/connection/records/records.js';
import { KeepFull, KeepUnavailable } from '../../../src/keep/faults.js';
import type { Keep } from '../../../src/keep/keep.js';
import { type MemoryData, openMemory } from '../../../src/keep/memory/memory-keep.js';
import { type Clock, systemClock } from '../../../src/lib/clock.js';
import { ALICE, BOB } from '../../acceptance/adapters/connection-app.js';
import { memoryData } from '../../support/registry.js';
import { VirtualClock } from '../../support/virtual-clock.js';
import { expectSoon } from '../../support/wait-for.js';

let data: MemoryData;
let keep: Keep;
let records: Records;

async function open(): Promise<void> {
  keep = await openMemory(data, { clock: systemClock }).keep('connection');
  const log = { warn: () => undefined };
  records = await Records.open(keep, { isShared: false, clock: systemClock, log });
}

beforeEach(async () => {
  data = memoryData();
  await open();
});

const write = (...changes: RecordChange[]) => records.change(() => ({ changes, result: undefined }));
const inviteOf = (holder: string): Invite =>
  newInvite({ uri: 'urn:invite', purpose: 'urn:purpose', holder }, { uri: 'urn:unused', now: 0 });

/** What the keep holds, whatever the index says. */
async function stored(): Promise<Record<string, unknown>> {
  const found: Record<string, unknown> = {};
  for await (const { rows } of keep.rows(['invite']))
    for (const { key, value } of rows) found[key] = JSON.parse(value);
  return found;
}

describe('two invites with one URI', () => {
  const [alices, bobs] = [inviteOf(ALICE), inviteOf(BOB)];

  beforeEach(async () => {
    await write({ kind: 'invite', put: alices });
    await write({ kind: 'invite', put: bobs });
  });

  const holders = () => records.invites.named('urn:invite').map(({ record }) => record.holder);

  test('are stored under two keys, and come back from there', async () => {
    expect(await stored()).toEqual({
      'urn:invite': { seq: 1, record: alices },
      'urn:invite 2': { seq: 2, record: bobs },
    });
    await records.close();
    await open();
    expect(holders()).toEqual([ALICE, BOB]);
  });

  test('are replaced where each of them is stored', async () => {
    await write({ kind: 'invite', put: { ...bobs, state: 'linking' }, replaces: bobs });
    expect(await stored()).toEqual({
      'urn:invite': { seq: 1, record: alices },
      'urn:invite 2': { seq: 2, record: { ...bobs, state: 'linking' } },
    });
  });

  test.each([
    [alices, BOB, 'urn:invite 2'],
    [bobs, ALICE, 'urn:invite'],
  ])('are removed where each of them is stored: %#', async (removed, left, key) => {
    await write({ kind: 'invite', remove: removed });
    expect(holders()).toEqual([left]);
    expect(Object.keys(await stored())).toEqual([key]);
  });

  test.each([
    ['replaced', { kind: 'invite', put: alices, replaces: { ...alices } }],
    ['removed', { kind: 'invite', remove: { ...alices } }],
  ] as const)('are not %s by what was never in the index', async (_, change) => {
    await expect(write(change)).rejects.toThrow('is not the stored one');
    expect(holders()).toEqual([ALICE, BOB]);
  });
});

test('a change that the keep refuses changes nothing in memory, and the next one is written', async () => {
  const connection = (uri: string): Connection => ({
    ...{ uri, configuration: {}, state: 'CONNECTED', source: 'urn:source', holder: ALICE },
  });
  const commit = keep.commit.bind(keep);
  keep.commit = async (since, decide) => {
    await commit(since, async (told) => {
      await decide(told);
      throw new KeepFull('The disk is full');
    });
    return since;
  };
  await expect(write({ kind: 'connection', put: connection('urn:a') })).rejects.toThrow(KeepFull);
  expect(records.connections.list({ holder: ALICE })).toEqual([]);
  keep.commit = commit;
  await write({ kind: 'connection', put: connection('urn:b') });
  const listed = records.connections.list({ holder: ALICE });
  expect(listed.map(({ record }) => record.uri)).toEqual(['urn:b']);
});

describe('records that several nodes share', () => {
  const keepOfAll = () => openMemory(data, { clock: systemClock, isShared: true }).keep('connection');
  const openOn = (shared: Keep, clock: Clock = systemClock) =>
    Records.open(shared, { isShared: true, clock, log: { warn: () => undefined } });
  const node = async () => openOn(await keepOfAll());
  const say = (at: Records, uri: string) =>
    at.change(() => {
      const put = {
        uri,
        configuration: {},
        state: 'CONNECTED',
        source: 'urn:source',
        holder: ALICE,
      } as const;
      return { changes: [{ kind: 'connection', put }], result: undefined };
    });
  const uris = (at: Records) => at.connections.list({}).map(({ record }) => record.uri);

  test('are the same at all of them, and a change is decided upon what others have written', async () => {
    const [one, other] = [await node(), await node()];
    await say(one, 'urn:a');
    await expectSoon(() => expect(uris(other)).toEqual(['urn:a']));
    // Before either has heard of what the other writes.
    await Promise.all([say(one, 'urn:b'), say(other, 'urn:c')]);
    await expectSoon(() => expect(uris(one).toSorted()).toEqual(['urn:a', 'urn:b', 'urn:c']));
    await expectSoon(() => expect(uris(other)).toEqual(uris(one)));
    const seen: number[] = [];
    const count = (at: Records) => at.change(() => ({ changes: [], result: seen.push(uris(at).length) }));
    await say(one, 'urn:d');
    await count(other);
    expect(seen.at(-1)).toBe(4);
    await Promise.all([one.close(), other.close()]);
  });

  test('are those of a backup that is restored, and nobody answers from its memory', async () => {
    const [one, other] = [await node(), await node()];
    await say(one, 'urn:kept');
    const backup = data.backup();
    await say(one, 'urn:lost');
    await expectSoon(() => expect(uris(other)).toHaveLength(2));
    data.restore(backup);
    // As many changes as were lost, and another one.
    await say(other, 'urn:new');
    for (const at of [one, other])
      await expectSoon(() => expect(uris(at).toSorted()).toEqual(['urn:kept', 'urn:new']));
    await Promise.all([one.close(), other.close()]);
  });

  test('are those of a backup also at a node that has not been told yet of what it has written itself', async () => {
    const [one, other] = [await node(), await node()];
    await say(one, 'urn:kept');
    const backup = data.backup();
    await say(one, 'urn:lost');
    data.restore(backup);
    await say(other, 'urn:new');
    await expectSoon(() => expect(uris(one).toSorted()).toEqual(['urn:kept', 'urn:new']));
    await Promise.all([one.close(), other.close()]);
  });

  test('go on when the database is away just as its history is found to be another one', async () => {
    const clock = new VirtualClock();
    const away = await keepOfAll();
    const one = await openOn(away, clock);
    const other = await node();
    await say(one, 'urn:kept');
    const backup = data.backup();
    await say(one, 'urn:lost');
    await expectSoon(() => expect(uris(other)).toHaveLength(2));
    away.rows = () => {
      throw new KeepUnavailable('The database cannot be asked');
    };
    data.restore(backup);
    await say(other, 'urn:new');
    await expectSoon(() => expect(clock.sleeping).toBe(1));
    expect(uris(one)).toEqual(['urn:lost', 'urn:kept']);
    away.rows = (await keepOfAll()).rows.bind(await keepOfAll());
    clock.pass(5_000);
    await expectSoon(() => expect(uris(one).toSorted()).toEqual(['urn:kept', 'urn:new']));
    await Promise.all([one.close(), other.close()]);
    await expect(away.get('connection', [])).rejects.toThrow('closed');
  });
});
