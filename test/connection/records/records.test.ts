import { DataFactory } from 'n3';
import { beforeEach, expect, test } from 'vitest';
import { graphOf } from '../../../src/connection/records/cached-resource.js';
import type { Connection } from '../../../src/connection/records/connection.js';
import { changesIn, Records } from '../../../src/connection/records/records.js';
import type { Keep } from '../../../src/keep/keep.js';
import { type MemoryData, openMemory } from '../../../src/keep/memory/memory-keep.js';
import { systemClock } from '../../../src/lib/clock.js';
import { ALICE } from '../../acceptance/adapters/connection-app.js';
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

const connectionOf = (uri: string): Connection => ({
  ...{ uri, configuration: {}, state: 'CONNECTED', source: 'urn:source', holder: ALICE },
});

test('a record is found by a URI that is longer than keys may be', async () => {
  const uri = `https://pod.example/${'\u00e9'.repeat(2_000)}`;
  await changesIn(keep)((now) => now.put('connection', connectionOf(uri)));
  expect((await records.get('connection', { holder: ALICE, uri }))?.uri).toBe(uri);
  expect(await records.named('connection', [uri])).toHaveLength(1);
});

test('what two nodes have read of one document at once leaves the triples of one of them', async () => {
  const ids = { uri: 'https://pod.example/doc', connection: 'urn:connection' };
  const put = { ...ids, holder: ALICE, refreshed: 1, error: null };
  const graph = graphOf(put);
  const { literal, namedNode, quad } = DataFactory;
  const said = (value: string) => quad(namedNode('urn:s'), namedNode('urn:p'), literal(value), graph);
  const store = async (at: ReturnType<typeof changesIn>, value: string) =>
    at((now) => now.put('resource', put, [said(value)]));
  const [here, there] = [changesIn(keep), changesIn(await keepOf())];
  await store(here, 'first');
  await Promise.all([store(here, 'a'), store(there, 'b'), store(here, 'a')]);
  const stored = await records.triples(ids);
  expect(stored).toHaveLength(1);
});
