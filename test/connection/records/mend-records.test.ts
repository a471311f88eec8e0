import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { NamedNode, Quad } from '@rdfjs/types';
import { DataFactory } from 'n3';
import { beforeEach, describe, expect, it } from 'vitest';
import { newInvite } from '../../../src/connection/invites/invite-state.js';
import { graphOf } from '../../../src/connection/records/cached-resource.js';
import type { Connection } from '../../../src/connection/records/connection.js';
import type { Invite } from '../../../src/connection/records/invite.js';
import { mendRecords } from '../../../src/connection/records/mend-records.js';
import { changesIn, Records } from '../../../src/connection/records/records.js';
import { KeepDamaged } from '../../../src/keep/faults.js';
import type { Keep, Place } from '../../../src/keep/keep.js';
import { openLevel } from '../../../src/keep/level/level-files.js';
import { repairDirectory } from '../../../src/keep/level/repair.js';
import { systemClock } from '../../../src/lib/clock.js';
import { systemPace } from '../../../src/lib/pace.js';
import { rowsOf } from '../../keep/contract.js';
import { openedIn, SILENT } from '../../keep/level-engine.js';
import { uniqueTexts } from '../../keep/unique-texts.js';
import { tempDir } from '../../support/temp-dir.js';

const { literal, namedNode, quad } = DataFactory;

const HOLDER = 'urn:holder';
const RESOURCE = {
  ...{ connection: 'urn:a', uri: `https://pod.example/${'long'.repeat(400)}`, holder: HOLDER },
  ...{ refreshed: 1, error: null },
};
const LOCAL = namedNode('urn:registry:local');
const quadIn = (graph: NamedNode) =>
  quad(namedNode('urn:s'), namedNode('urn:p'), literal('a'), graph as never) as Quad;
const CONNECTION: Connection = {
  ...{ uri: 'urn:a', configuration: {}, source: RESOURCE.uri, holder: HOLDER },
  state: 'CONNECTED',
};
const INVITE = {
  ...newInvite({ purpose: 'urn:purpose', holder: HOLDER }, { uri: 'urn:c', now: 1 }),
  ...{ state: 'linking', connection: CONNECTION.uri },
} as Invite;
const CACHE = 'cached documents of connections; they are read again when the connections are refreshed';

let directory: string;

async function onPlace<T>(task: (keep: Keep, place: Place) => Promise<T>): Promise<T> {
  const place = await openedIn(directory);
  try {
    return await task(await place.keep('connection'), place);
  } finally {
    await place.close();
  }
}

const repair = () =>
  repairDirectory(directory, {
    ...{ apply: true, suffix: 'then', unique: uniqueTexts() },
    ...{ clock: systemClock, pace: systemPace, log: SILENT },
    mend: async (place, salvage) => ({
      ...{ damaged: [], rebuilt: [] },
      lost: await mendRecords(salvage, await place.keep('connection')),
    }),
  });

/** Changes the value under the first key that begins so, as a failing disk would. */
async function damage(prefix: string): Promise<void> {
  const level = await openLevel(directory);
  const [[key, value] = ['', '']] = await level.iterator({ gte: prefix, limit: 1 }).all();
  expect(key.startsWith(prefix)).toBe(true);
  if (prefix.startsWith('row/')) await level.put(key, `${value} `);
  else await level.put(key.replace('urn:s', 'urn'), '');
  await level.close();
}

/** What is found after the repair, by holder and by URI, and whether the cached triple is there, and that of others. */
const left = () =>
  onPlace(async (keep) => {
    const records = new Records(keep);
    const listed = await Promise.all([
      records.list('connection', { holder: HOLDER }),
      records.list('invite', { holder: HOLDER }),
      records.list('resource', { holder: HOLDER }),
    ]);
    const named = await Promise.all([
      records.named('connection', [CONNECTION.uri]),
      records.named('invite', [INVITE.uri]),
      records.linkedTo(CONNECTION),
    ]);
    let others = 0;
    for await (const some of keep.quads([LOCAL])) others += some.length;
    const quads = (await records.triples(RESOURCE)).length;
    return { listed: listed.map(counted), named: named.map(counted), quads, others };
  });
const counted = ({ length }: readonly unknown[]) => length;
const ALL = { listed: [1, 1, 1], named: [1, 1, 1], quads: 1, others: 1 };
const WITHOUT_CACHE = { ...ALL, listed: [1, 1, 0], quads: 0 };

beforeEach(async () => {
  directory = join(await tempDir(), 'store');
  await onPlace(async (keep) => {
    await changesIn(keep)(async (now) => {
      await now.put('connection', CONNECTION);
      await now.put('invite', INVITE);
      await now.put('resource', RESOURCE, [quadIn(graphOf(RESOURCE))]);
    });
    await keep.exclusively(async () => ({ quads: { put: [quadIn(LOCAL)] }, result: undefined }));
  });
});

describe('the repair of connections', () => {
  it('finds nothing in good data', async () => {
    expect(await repair()).toEqual({ damaged: [], rebuilt: [], lost: [] });
    expect(await left()).toEqual(ALL);
  });

  it('names the record that is lost, and leaves the others', async () => {
    await damage('row/connection/connection/');
    await onPlace((keep) => expect(rowsOf(keep, 'connection')).rejects.toThrow(KeepDamaged));
    expect((await repair())?.lost).toEqual(['the connection urn:holder urn:a', CACHE]);
    expect(await left()).toEqual({ ...WITHOUT_CACHE, listed: [0, 1, 0], named: [0, 1, 1] });
  });

  it.each([
    ['a way to records', 'row/connection/found-by/'],
    ['a row of the cache', 'row/connection/resource/'],
    ['a quad of the cache', 'GSPO\0\0urn:registry:resource'],
  ])('finds all records again, and drops the cache, when %s is lost', async (_, prefix) => {
    await damage(prefix);
    expect((await repair())?.lost).toEqual([CACHE]);
    expect(await left()).toEqual(WITHOUT_CACHE);
  });

  it('says what may be missing, where nothing tells what is', async () => {
    await rm(join(directory, 'CURRENT'));
    const lost = [expect.stringContaining('perhaps the latest connections'), CACHE];
    expect((await repair())?.lost).toEqual(lost);
    expect(await left()).toEqual(WITHOUT_CACHE);
  });
});
