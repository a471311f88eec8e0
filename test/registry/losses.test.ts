import { EventEmitter, once } from 'node:events';
import { DataFactory } from 'n3';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { LOCAL } from '../../src/component/source.js';
import { storedQuads } from '../../src/component/writing/metadata-quads.js';
import type { Row, Writes } from '../../src/keep/keep.js';
import { type MemoryData, openMemory } from '../../src/keep/memory/memory-keep.js';
import type { Salvage } from '../../src/keep/salvage.js';
import { systemClock } from '../../src/lib/clock.js';
import { StorageFailure, StoreUnavailable } from '../../src/lib/faults.js';
import { mendRegistry } from '../../src/registry/mend-registry.js';
import { openRegistry } from '../../src/registry/open-registry.js';
import { graphName } from '../../src/registry/row-keys.js';
import { rowsOf } from '../keep/contract.js';
import { aroundCommits } from '../support/commits.js';
import {
  component,
  memoryData,
  memoryRegistry,
  named,
  registryOptions,
  type TestOptions,
  type TestRegistry,
} from '../support/registry.js';
import { VirtualClock } from '../support/virtual-time.js';
import { expectSoon } from '../support/wait-for.js';
import { ORDER, POD_A, POD_B } from './sources.js';
import { expectDigests, storedOf, writtenOf } from './told.js';

/** Rows and quads that are not what was written, and another vocabulary (design, section 5). */

const URL = `${POD_A.url}doc`;
let data: MemoryData;
let registry: TestRegistry;
let warnings: string[] = [];

async function open(more: TestOptions = {}): Promise<void> {
  const log = { warn: (_: unknown, message: string) => void warnings.push(message) };
  registry = await memoryRegistry({ order: ORDER, log, ...more }, data);
}

async function reopen(more: TestOptions = {}): Promise<void> {
  await registry.close();
  await open(more);
}

const keepIn = () => openMemory(data, { clock: systemClock }).keep('registry');
const uriIn = (name: string) => `"uri":"${component(name).uri}"`;

/** The first row of a table with a text in it. */
async function rowWith(table: string, text: string): Promise<Row> {
  const rows = await rowsOf(await keepIn(), table);
  const found = rows.find(({ key, value }) => `${key} ${value}`.includes(text));
  if (!found) throw new Error(`${text} is in no row`);
  return found;
}

/** Changes a row past the registry, as a fault of the disk would. */
async function fault(table: string, change: (value: string) => string | undefined, text: string) {
  const { key, value = '' } = await rowWith(table, text);
  await writeBehind({ rows: [{ table, key, value: change(value) }] });
}

/** Writes what the registry does not hear of. */
async function writeBehind(writes: Writes): Promise<void> {
  await (await keepIn()).exclusively(async () => ({ ...writes, result: undefined }));
}

/** In a document, another node finds the quads of these components alone. */
async function expectQuads(names: readonly string[], source = POD_A, url = URL): Promise<void> {
  expect(await storedOf(await keepIn(), source, url)).toEqual(writtenOf(named(...names), source, url));
}
const quadsOfOne = (name: string, source = LOCAL, url = LOCAL.url, tag: readonly string[] = []) =>
  storedQuads(component(name, { tag }), DataFactory.namedNode(graphName(source, url)));

const say = (names: readonly string[], source = POD_A, url = URL) =>
  registry.commit({
    source,
    documents: [{ url, components: named(...names), record: { etag: '"1"' } }],
    record: { failures: 0, memo: { cursor: 'c' } },
  });

async function expectSound(): Promise<void> {
  await expectDigests(registry);
  warnings = [];
  await reopen();
  expect(warnings).toEqual([]);
}

beforeEach(async () => {
  data = memoryData();
  warnings = [];
  await open();
});

describe('a source whose rows are not those that were written', () => {
  const { uri } = component('b');
  it.each<[what: string, table: string, text: string, change: (value: string) => string | undefined]>([
    ['a row is lost', 'statement', uriIn('b'), () => undefined],
    ['a row is older than the source', 'statement', uriIn('b'), (value) => value.replace('"b"', '"o"')],
    ['all rows of a document are lost', 'statement', uriIn('alone'), () => undefined],
    ['the row of its digest is lost', 'hash', POD_A.url, () => undefined],
    ['its own row is lost', 'source', POD_A.url, () => undefined],
  ])('is told, and read again whole: %s', async (_, table, text, change) => {
    const second = `${POD_A.url}second`;
    await say(['a', 'b']);
    await say(['alone'], POD_A, second);
    await say(['c'], POD_B, `${POD_B.url}doc`);
    await registry.close();
    await fault(table, change, text);
    await open();
    expect(warnings).toEqual([expect.stringContaining('read again whole')]);
    const stored = await registry.source(POD_A);
    expect(stored?.record.memo).toBeUndefined();
    for (const url of [URL, second]) expect(stored?.documents.get(url)?.etag).toBeUndefined();
    const other = await registry.source(POD_B);
    expect(other?.documents.get(`${POD_B.url}doc`)?.etag).toBe('"1"');
    await say(['a', 'b']);
    await say(['alone'], POD_A, second);
    expect(await registry.labels()).toEqual(['a', 'alone', 'b', 'c']);
    await expectSound();
  });

  it('has its documents again when their rows are lost, so that nothing of them stays for ever', async () => {
    await say(['a', 'b']);
    await registry.close();
    await writeBehind({ rows: [{ table: 'document', key: `pod ${POD_A.url} ${URL}`, value: undefined }] });
    await open();
    expect((await registry.source(POD_A))?.documents.get(URL)).toEqual({ components: 2 });
    await registry.forget(POD_A);
    expect(await registry.size()).toBe(0);
    await expectSound();
  });

  it('is the node itself: what was posted is made again from its quads', async () => {
    await registry.upsertLocal([component('a'), component('b')]);
    await registry.close();
    await fault('statement', () => undefined, uriIn('b'));
    await open();
    expect(await registry.labels()).toEqual(['a', 'b']);
    expect(warnings).toEqual([
      expect.stringContaining('has to be posted again, unless it is restored now'),
      expect.stringContaining('restored from their quads'),
    ]);
    await expectSound();
  });

  it('is the node itself: what was withdrawn does not come back with a row or quads that are older', async () => {
    await registry.upsertLocal([component('a'), component('b')]);
    const older = await rowWith('statement', uriIn('b'));
    await registry.removeLocal(uri);
    await registry.close();
    await fault('statement', () => undefined, uriIn('a'));
    await writeBehind({ rows: [older], quads: { put: quadsOfOne('b') } });
    await open();
    expect(await registry.labels()).toEqual(['a']);
    await expectSound();
    expect(await registry.labels()).toEqual(['a']);
    // Nor once its removal is forgotten.
    await expect(rowWith('statement', uriIn('b'))).rejects.toThrow('is in no row');
  });
});

it('positions go on behind all that is there, where the row that tells the last one is lost', async () => {
  await say(['a', 'b']);
  await say(['b']);
  const { feed } = await registry.state();
  await registry.close();
  await fault('meta', () => undefined, '"position"');
  await open();
  await say(['b', 'c']);
  const { changes } = await registry.changes({ removals: true });
  const positions = changes.map(({ position }) => position);
  expect([positions.length, new Set(positions).size]).toEqual([3, 3]);
  expect(positions.at(-1)).toBeGreaterThan(feed.position);
  await expectSound();
});

it('data of another schema is refused in a sentence that names the way', async () => {
  await registry.close();
  await fault('meta', (value) => value.replace(/"schema":\d+/, '"schema":99'), '"schema"');
  await expect(open()).rejects.toThrow(/schema version 99.*import its export into an empty place/);
});

describe('quads', () => {
  /** A start of which the test has the time; `until`: so many ms pass again and again until something is so. */
  async function timed() {
    const clock = new VirtualClock();
    await reopen({ clock });
    const until = (ms: number, isSo: () => unknown) =>
      expectSoon(async () => {
        clock.pass(ms);
        await isSo();
      });
    return { clock, until };
  }

  const ofOne = quadsOfOne('b', POD_A, URL);
  it.each([
    ['some are lost, and others are about somebody else', ofOne.slice(0, 1), quadsOfOne('x', POD_A, URL)],
    ['all of a component are lost', ofOne, []],
    ['a component has one more', [], quadsOfOne('b', POD_A, URL, ['added'])],
  ])('that are damaged are written anew, once a day, while the node runs: %s', async (_, remove, put) => {
    await say(['a', 'b', 'c']);
    await say(['d'], POD_B, `${POD_B.url}doc`);
    const { until } = await timed();
    await writeBehind({ quads: { remove, put } });
    const shown = await registry.state();
    await until(601_000, async () => expectQuads(['a', 'b', 'c']));
    // Readers are shown nothing else.
    expect(await registry.state()).toBe(shown);
    expect(warnings).toEqual([expect.stringContaining('written anew')]);
    const { record, documents } = (await registry.source(POD_A)) ?? {};
    expect([record?.memo, documents?.get(URL)?.etag]).toEqual([undefined, undefined]);
    expect((await registry.source(POD_B))?.record.memo).toEqual({ cursor: 'c' });
  });

  it('are compared a document at a time, with a rest between two, and ten minutes later when they could not be read', async () => {
    await say(['a']);
    await say(['b'], POD_B, `${POD_B.url}doc`);
    const { clock, until } = await timed();
    const times: number[] = [];
    const quads = registry.keep.quads.bind(registry.keep);
    registry.keep.quads = (graphs) => {
      if (times.push(clock.now()) === 1) throw new StoreUnavailable('gone');
      return quads(graphs);
    };
    await until(600_000, () => expect(times.length).toBeGreaterThan(1));
    await until(5, () => expect(times).toHaveLength(3));
    const [failed = 0, first = 0, second = 0] = times;
    expect(first - failed).toBeGreaterThanOrEqual(600_000);
    expect(second - first).toBeGreaterThanOrEqual(20);
    expect(warnings).toEqual([expect.stringContaining('could not be compared')]);
    // And once a day.
    for (const [hours, read] of [
      [23, 3],
      [2, 5],
    ] as const) {
      for (let passed = 0; passed < 6 * hours; passed++) {
        await new Promise(setImmediate);
        clock.pass(600_000);
      }
      await until(5, () => expect(times).toHaveLength(read));
    }
  });

  it('are no damage while a commit that has changed them is not shown yet', async () => {
    await say(['a']);
    const { until } = await timed();
    const gate = new EventEmitter();
    const opened = once(gate, 'open');
    aroundCommits(registry, async (commit) => {
      const head = await commit();
      await opened;
      return head;
    });
    const saying = say(['a', 'b']);
    await expectSoon(async () => expectQuads(['a', 'b']));
    const quads = registry.keep.quads.bind(registry.keep);
    let read = 0;
    registry.keep.quads = async function* (graphs) {
      yield* quads(graphs);
      read += 1;
    };
    await until(601_000, () => expect(read).toBe(1));
    gate.emit('open');
    await saying;
    await until(100, async () => expect((await registry.keep.get('meta', ['checked'])).size).toBe(1));
    expect(warnings).toEqual([]);
  });

  it('are the same whichever vocabulary the node speaks, and documents are read again when it speaks another one', async () => {
    for (const source of [POD_A, POD_B]) await say(['a'], source, URL);
    await registry.close();
    const other = { namespace: 'https://other.example/voc#' };
    const { store } = data.service('registry').content;
    const write = store.write.bind(store);
    // The first start is broken off behind its first commit.
    const writes = vi.spyOn(store, 'write').mockImplementationOnce(write);
    writes.mockRejectedValueOnce(new StorageFailure('The disk is full'));
    await expect(open(other)).rejects.toThrow(StorageFailure);
    await open(other);
    await reopen(other);
    for (const source of [POD_A, POD_B]) {
      const { record, documents } = (await registry.source(source)) ?? {};
      expect([record?.memo, documents?.get(URL)]).toEqual([undefined, { components: 1 }]);
    }
    expect((await registry.list()).map(({ label }) => label)).toEqual(['a']);
    await say(['a', 'b']);
    await reopen(other);
    expect((await registry.source(POD_A))?.documents.get(URL)).toMatchObject({ etag: expect.anything() });
    await expectQuads(['a', 'b']);
  });
});

describe('a repair', () => {
  const has = (text: string) => expect.stringContaining(text);
  const READ_AGAIN = [has('read again in full'), has('posted again')];

  beforeEach(async () => {
    await registry.upsertLocal(named('own', 'mine'));
    await say(['a', 'b']);
  });

  /** Takes out the row of what was posted as `own`, which was not what was written. */
  async function withoutRow(): Promise<Salvage['rows']> {
    const { table, key } = await rowWith('statement', uriIn('own'));
    await writeBehind({ rows: [{ table, key, value: undefined }] });
    return [{ service: 'registry', table, key }];
  }

  /** What it finds, what is left, and whether the pod is read again whole. */
  async function repaired(rows: Salvage['rows'], isIncomplete = false) {
    await registry.close();
    const options = registryOptions({ order: ORDER });
    const opened = await openRegistry(await keepIn(), options, options);
    const salvage = { rows, isIncomplete, quads: 0, graphs: new Set<string>() };
    const found = await mendRegistry(salvage, opened);
    await open();
    const { record, documents } = (await registry.source(POD_A)) ?? {};
    const validators = [record?.memo, documents?.get(URL)?.etag];
    const isReadAgain = validators.every((one) => one === undefined);
    return { ...found, isReadAgain, labels: await registry.labels() };
  }

  it('makes what was posted from its quads, and has the pods read again', async () => {
    expect(await repaired(await withoutRow())).toEqual({
      damaged: ['2 descriptions of the local urn:registry:local have been stored, and 1 are there'],
      rebuilt: ['1 component posted to this node, from what is left of the quads'],
      ...{ lost: READ_AGAIN, isReadAgain: true, labels: ['a', 'b', 'mine', 'own'] },
    });
    expect(await repaired([])).toMatchObject({ damaged: [], rebuilt: [], lost: [] });
  });

  it('names what was posted when neither its row nor its quads are left', async () => {
    await writeBehind({ quads: { remove: quadsOfOne('own') } });
    const rows = await withoutRow();
    expect(await repaired([...rows, ...rows.map((one) => ({ ...one, table: 'removal' }))])).toMatchObject({
      rebuilt: [],
      lost: [`the description of ${component('own').uri} that was posted to this node`, ...READ_AGAIN],
      labels: ['a', 'b', 'mine'],
    });
  });

  it('makes quads from the rows, and has the pod read again: nothing is lost', async () => {
    await writeBehind({
      quads: { remove: quadsOfOne('own').slice(0, 1), put: quadsOfOne('stranger', POD_A, URL) },
    });
    // What another service has lost is none of its own.
    expect(await repaired([{ service: 'connection', table: 'statement', key: 'c' }])).toEqual({
      damaged: ['the quads about 1 component are not what was written'],
      rebuilt: ['the quads about 1 component, from the rows'],
      ...{ lost: [], isReadAgain: true, labels: ['a', 'b', 'mine', 'own'] },
    });
    await expectQuads(['a', 'b']);
    await expectQuads(['mine', 'own'], LOCAL, LOCAL.url);
  });

  it('has a pod read again of which everything is lost but the names of its documents', async () => {
    // No row tells of them any more: what is left looks like a pod that says nothing.
    for (const [table, text] of [
      ['hash', POD_A.url],
      ['statement', uriIn('a')],
      ['statement', uriIn('b')],
    ] as const)
      await fault(table, () => undefined, text);
    expect(await repaired([], true)).toMatchObject({
      ...{ damaged: [has('otherwise than they are there')], isReadAgain: true, labels: ['mine', 'own'] },
    });
    await expectQuads([]);
  });
});
