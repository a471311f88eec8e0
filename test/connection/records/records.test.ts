import { beforeEach, describe, expect, test } from 'vitest';
import { newInvite } from '../../../src/connection/invites/invite-state.js';
import type { Connection } from '../../../src/connection/records/connection.js';
import type { Invite } from '../../../src/connection/records/invite.js';
import { changesIn, type RecordChange, Records } from '../../../src/connection/records/records.js';
import { KeepFull } from '../../../src/keep/faults.js';
import type { Keep } from '../../../src/keep/keep.js';
import { type MemoryData, openMemory } from '../../../src/keep/memory/memory-keep.js';
import { systemClock } from '../../../src/lib/clock.js';
import { ALICE, BOB } from '../../acceptance/adapters/connection-app.js';
import { memoryData } from '../../support/registry.js';

let data: MemoryData;
let keep: Keep;
let records: Records;

const keepOf = () => openMemory(data, { clock: systemClock, isShared: true }).keep('connection');

beforeEach(async () => {
  data = memoryData();
  keep = await keepOf();
  records = new Records(keep);
});

const write = (...changes: RecordChange[]) => changesIn(keep)(async () => ({ changes, result: undefined }));
const inviteOf = (holder: string): Invite =>
  newInvite({ uri: 'urn:invite', purpose: 'urn:purpose', holder }, { uri: 'urn:unused', now: 0 });
const connectionOf = (uri: string): Connection => ({
  ...{ uri, configuration: {}, state: 'CONNECTED', source: 'urn:source', holder: ALICE },
});

describe('two invites with one URI', () => {
  const [alices, bobs] = [inviteOf(ALICE), inviteOf(BOB)];
  const holders = async () => (await records.named('invite', 'urn:invite')).map(({ holder }) => holder);

  beforeEach(async () => {
    await write({ kind: 'invite', put: alices });
    await write({ kind: 'invite', put: bobs });
  });

  test('are found by their URI, and each by its holder', async () => {
    expect(await holders()).toEqual([ALICE, BOB]);
    for (const invite of [alices, bobs]) expect(await records.get('invite', invite)).toEqual(invite);
  });

  test('are replaced each alone', async () => {
    const linking = { ...bobs, state: 'linking' } as const;
    await write({ kind: 'invite', put: linking });
    expect(await records.list('invite')).toEqual([alices, linking]);
  });

  test.each([
    [alices, BOB],
    [bobs, ALICE],
  ])('go each alone: %#', async (removed, left) => {
    await write({ kind: 'invite', remove: removed });
    expect(await holders()).toEqual([left]);
    expect(await records.list('invite', { holder: removed.holder })).toEqual([]);
  });
});

test('a record is found by a URI that is longer than keys may be', async () => {
  const uri = `https://pod.example/${'\u00e9'.repeat(2_000)}`;
  await write({ kind: 'connection', put: connectionOf(uri) });
  expect((await records.get('connection', { holder: ALICE, uri }))?.uri).toBe(uri);
  expect(await records.named('connection', uri)).toHaveLength(1);
});

test('a change that the keep refuses changes nothing, and the next one is written', async () => {
  const { exclusively } = keep;
  keep.exclusively = async () => {
    throw new KeepFull('The disk is full');
  };
  await expect(write({ kind: 'connection', put: connectionOf('urn:a') })).rejects.toThrow(KeepFull);
  keep.exclusively = exclusively;
  await write({ kind: 'connection', put: connectionOf('urn:b') });
  const listed = await records.list('connection', { holder: ALICE });
  expect(listed.map(({ uri }) => uri)).toEqual(['urn:b']);
});

test('records that several nodes share are the same at all of them, and are changed one after the other', async () => {
  const [here, there] = [changesIn(keep), changesIn(await keepOf())];
  const say = (at: typeof here, uri: string) =>
    at(async (now) => {
      const { length } = await now.list('connection');
      return { changes: [{ kind: 'connection', put: connectionOf(uri) }], result: length };
    });
  const seen = await Promise.all([say(here, 'urn:a'), say(there, 'urn:b'), say(here, 'urn:c')]);
  expect(seen.toSorted()).toEqual([0, 1, 2]);
  expect(await records.list('connection')).toHaveLength(3);
});
