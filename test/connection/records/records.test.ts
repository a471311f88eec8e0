import { beforeEach, describe, expect, test } from 'vitest';
import type { Connection } from '../../../src/connection/records/connection.js';
import { type Invite, newInvite } from '../../../src/connection/records/invite.js';
import { type RecordChange, Records } from '../../../src/connection/records/records.js';
import { KeepFull } from '../../../src/keep/faults.js';
import type { Keep } from '../../../src/keep/keep.js';
import { type MemoryData, openMemory } from '../../../src/keep/memory/memory-keep.js';
import { systemClock } from '../../../src/lib/clock.js';
import { ALICE, BOB } from '../../support/connection-app.js';
import { memoryData } from '../../support/registry.js';

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
