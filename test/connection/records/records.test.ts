import { beforeEach, describe, expect, test } from 'vitest';
import type { Connection } from '../../../src/connection/records/connection.js';
import { type Invite, newInvite } from '../../../src/connection/records/invite.js';
import { RECORD_LAYOUT, type RecordChange, Records } from '../../../src/connection/records/records.js';
import { systemClock } from '../../../src/lib/clock.js';
import { StorageFailure } from '../../../src/lib/faults.js';
import { withoutPause } from '../../../src/lib/pace.js';
import type { RecordStore } from '../../../src/store/record-store.js';
import { ALICE, BOB } from '../../support/connection-app.js';
import { createMemoryRecords } from '../../support/memory-records.js';

const quiet = { warn: () => undefined, info: () => undefined };
const options = { layout: RECORD_LAYOUT, clock: systemClock, pace: withoutPause, log: quiet };

let place: ReturnType<typeof createMemoryRecords>;
let store: RecordStore;
let records: Records;

async function open(): Promise<void> {
  store = await place.open('data', options);
  records = await Records.open(store);
}

beforeEach(async () => {
  place = createMemoryRecords();
  await open();
});

const write = (...changes: RecordChange[]) => records.change(() => ({ changes, result: undefined }));
const inviteOf = (holder: string): Invite =>
  newInvite({ uri: 'urn:invite', purpose: 'urn:purpose', holder }, { uri: 'urn:unused', now: 0 });

/** What the store holds, whatever the index says. */
async function stored(): Promise<Record<string, unknown>> {
  const rows: Record<string, unknown> = {};
  for await (const [key, value] of store.rows('invite')) rows[key] = value;
  return rows;
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

test('a change that the store refuses changes nothing in memory, and the next one is written', async () => {
  const connection = (uri: string): Connection => ({
    ...{ uri, configuration: {}, state: 'CONNECTED', source: 'urn:source', holder: ALICE },
  });
  const prepare = store.prepare.bind(store);
  store.prepare = async (quads) => ({
    ...(await prepare(quads)),
    write: () => Promise.reject(new StorageFailure('The disk is full')),
  });
  await expect(write({ kind: 'connection', put: connection('urn:a') })).rejects.toThrow(StorageFailure);
  expect(records.connections.list({ holder: ALICE })).toEqual([]);
  store.prepare = prepare;
  await write({ kind: 'connection', put: connection('urn:b') });
  const listed = records.connections.list({ holder: ALICE });
  expect(listed.map(({ record }) => record.uri)).toEqual(['urn:b']);
});
