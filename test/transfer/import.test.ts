import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { LOCAL } from '../../src/component/source.js';
import { Records } from '../../src/connection/records/records.js';
import { readKeySecret, shareKey } from '../../src/connection/tokens/key-file.js';
import type { Place, Row } from '../../src/keep/keep.js';
import { checkExport } from '../../src/transfer/export-file.js';
import { inodeOf, onFlush } from '../support/flushes.js';
import { hasPostgres } from '../support/postgres-programs.js';
import { component } from '../support/registry.js';
import { tempDir } from '../support/temp-dir.js';
import {
  contents,
  exportTo,
  fillTransfer,
  importFrom,
  openTransfer,
  TRANSFER_ENGINES,
  type TransferEngine,
} from '../support/transfer.js';

let folder: string;
let file: string;
let expected: unknown;

beforeEach(async () => {
  folder = await tempDir();
  file = join(folder, 'all');
  const held = await openTransfer();
  await fillTransfer(held);
  await exportTo(file, held);
  expected = await contents(held);
});

const engineOf = (name: string) => (TRANSFER_ENGINES[name] as () => Promise<TransferEngine>)();

async function contentsOf(engine: TransferEngine): Promise<unknown> {
  const held = await openTransfer(engine);
  const found = await contents(held);
  await held.test.close();
  return found;
}

describe.each(Object.keys(TRANSFER_ENGINES))('an import into %s', (name) => {
  let engine: TransferEngine;

  beforeEach(async () => {
    engine = await engineOf(name);
  });

  it('that is broken off changes nothing, leaves nothing, and is repeated', async () => {
    // What a process leaves that is killed.
    const left = join(engine.dataDir, 'importing', 'store');
    await mkdir(left, { recursive: true });
    await writeFile(join(left, 'CURRENT'), 'MANIFEST-000001\n');
    const openOnDisk = () => Promise.reject(new Error('broken off'));
    await expect(importFrom(file, engine, { openOnDisk })).rejects.toThrow('broken off');
    expect(await readdir(engine.dataDir)).not.toContain('importing');
    await importFrom(file, engine);
    expect(await contentsOf(engine)).toEqual(expected);
    expect((await readdir(engine.dataDir)).filter((one) => one !== 'store')).toEqual([]);
  });

  it.each([
    ['statements', (held) => held.test.upsertLocal([component('mine')])],
    ['a source that has never been read', (held) => held.test.commit(FAILED)],
    ['a connection alone', (held) => held.connections.exclusively(async () => CONNECTED)],
  ] as [string, (held: Awaited<ReturnType<typeof openTransfer>>) => Promise<unknown>][])(
    'is refused where there is %s, which stays as it is',
    async (_what, fill) => {
      const held = await openTransfer(engine);
      await fill(held);
      const before = await contents(held);
      await held.test.close();
      await expect(importFrom(file, engine)).rejects.toThrow(
        /holds what a node has stored|has been started on this/,
      );
      expect(await contentsOf(engine)).toEqual(before);
    },
  );

  it('notices that what is stored is not what the file holds', async () => {
    let opened = 0;
    const openOnDisk = async (dataDir: string) => {
      const place = { dataDir, openPlace: (await engineOf('disk')).openPlace };
      if (++opened === 2) {
        const held = await openTransfer(place);
        await held.test.removeLocal('https://c.example/shared.js');
        await held.test.close();
      }
      return place.openPlace(dataDir);
    };
    await expect(importFrom(file, engine, { openOnDisk })).rejects.toThrow(
      /is not what .* holds: statements local urn:registry:local \(1 instead of 2\); nothing is imported/,
    );
    await importFrom(file, engine);
  });

  it('stores statements of different sources and times in one commit', async () => {
    const commits = new Set<Row['value']>();
    const openOnDisk = async (dataDir: string) => {
      const place = await (await engineOf('disk')).openPlace(dataDir);
      const keep = await place.keep('registry');
      const { exclusively } = keep;
      keep.exclusively = (task) =>
        exclusively(async (now) => {
          const writes = await task(now);
          if (writes.rows?.some(({ table }) => table === 'statement')) commits.add(writes.rows[0]?.key);
          return writes;
        });
      return { ...place, keep: async (name) => (name === 'registry' ? keep : place.keep(name)) } as Place;
    };
    await importFrom(file, engine, { openOnDisk });
    expect(commits.size).toBe(1);
    expect(await contentsOf(engine)).toEqual(expected);
  });

  it('leaves nothing behind of a node that holds nothing of its own', async () => {
    await exportTo(join(folder, 'empty'), await openTransfer());
    await importFrom(join(folder, 'empty'), engine);
    const held = await openTransfer(engine);
    expect(await held.test.source(LOCAL)).toBeUndefined();
    await held.test.close();
  });

  it('reads what version 0.2.0 has exported', async () => {
    const earlier = new URL('../fixtures/transfer/export-of-0.2.0', import.meta.url).pathname;
    const { digest, invalid } = await checkExport(earlier);
    // A shape that is no IRI, which 0.2.0 took, would make whole documents unreadable.
    expect(invalid).toBe(1);
    const found = await importFrom(earlier, engine);
    expect(found.overall()).toBe(digest.overall());
    const lines = (await readFile(earlier, 'utf8')).trimEnd().split('\n');
    const parts = lines.map((line) => JSON.parse(line)).filter(({ type }) => type === 'digest');
    const counted = parts.map(({ part, count }) => [part, count - (/^statements pod/.test(part) ? 1 : 0)]);
    expect([...found.counts()].sort()).toEqual(counted.sort());
    const held = await openTransfer(engine);
    expect(await held.test.labels()).toEqual(['Card', 'Far', 'Own']);
    const long = `https://pod.example/${'x'.repeat(1_100)}`;
    expect(await new Records(held.connections).named('invite', long)).toHaveLength(1);
    const again = await exportTo(join(folder, 'again'), held);
    expect(again.digest.overall()).toBe(found.overall());
    await held.test.close();
  });
});

const FAILED = {
  source: { kind: 'pod', url: 'https://never.example/' },
  documents: [],
  record: { failures: 1, error: 'refused' },
} as const;

const RECORD = { uri: 'urn:c', holder: 'urn:h' };
const CONNECTED = {
  rows: [{ table: 'connection', key: 'urn:h urn:c', value: JSON.stringify({ seq: 1, record: RECORD }) }],
  result: undefined,
};

describe('an import into a data directory', () => {
  it('takes the place of what a node has written that was only started', async () => {
    const engine = await engineOf('disk');
    const started = await openTransfer(engine);
    await started.test.setNetwork({ peers: [], storage: [{ url: 'https://a.example/', hops: 0, via: [] }] });
    await started.test.close();
    await importFrom(file, engine);
    expect(await contentsOf(engine)).toEqual(expected);
  });

  it('takes its key back, and the place stays as empty as it was, when what was built cannot be moved there', async () => {
    const engine = await engineOf('disk');
    const before = await contentsOf(await engineOf('disk'));
    const keys = new Set<string>();
    const installKey = async () => {
      keys.add('of the file');
      // As if somebody had moved it away.
      await rm(join(engine.dataDir, 'importing', 'store'), { recursive: true });
      return async () => void keys.clear();
    };
    await expect(importFrom(file, engine, { installKey })).rejects.toThrow('ENOENT');
    expect(keys.size).toBe(0);
    expect(await contentsOf(engine)).toEqual(before);
    await importFrom(file, engine);
    expect(await contentsOf(engine)).toEqual(expected);
  });

  it('keeps its key when everything is in its place, and only the flush of that fails', async () => {
    const engine = await engineOf('disk');
    const directory = await inodeOf(engine.dataDir);
    const keys = new Set<string>();
    const installKey = async () => {
      keys.add('of the file');
      const flushes = await onFlush((inode) => {
        if (inode === directory) throw new Error('a bad sector');
      });
      onTestFinished(() => flushes.mockRestore());
      return async () => void keys.clear();
    };
    await expect(importFrom(file, engine, { installKey })).rejects.toThrow('a bad sector');
    expect(keys.size).toBe(1);
  });

  it('is refused while a node runs on it, which goes on', async () => {
    const engine = await engineOf('disk');
    const node = await openTransfer(engine);
    await expect(importFrom(file, engine)).rejects.toThrow('is in use by another process');
    await node.test.upsertLocal([component('mine')]);
    expect(await node.test.labels()).toEqual(['mine']);
    await node.test.close();
  });
});

describe.skipIf(!hasPostgres())('an import into a database', () => {
  it('that is broken off behind the connections is repeated, with the same file', async () => {
    const engine = await engineOf('postgres');
    const openPlace = async (dataDir: string) => {
      const place = await engine.openPlace(dataDir);
      const broken = async () => Promise.reject(new Error('broken off'));
      const keep: typeof place.keep = async (service) => {
        const made = await place.keep(service);
        if (service === 'registry') made.exclusively = broken;
        return made;
      };
      return { isShared: true, keep, close: () => place.close() };
    };
    await expect(importFrom(file, { ...engine, openPlace })).rejects.toThrow('broken off');
    const other = await openTransfer();
    await other.test.upsertLocal([component('other')]);
    await exportTo(join(folder, 'other'), other);
    const installKey = () => Promise.reject(new Error('the key was installed'));
    await expect(importFrom(join(folder, 'other'), engine, { installKey })).rejects.toThrow(
      'has stored something in it',
    );
    await importFrom(file, engine);
    expect(await contentsOf(engine)).toEqual(expected);
  });

  it('is refused while a node that holds nothing runs on it, also one that starts meanwhile', async () => {
    const engine = await engineOf('postgres');
    const nodes: Awaited<ReturnType<typeof openTransfer>>[] = [];
    const { openPlace: onDisk } = await engineOf('disk');
    const openOnDisk = async (dataDir: string) => {
      nodes[0] ??= await openTransfer(engine);
      return onDisk(dataDir);
    };
    for (const more of [{ openOnDisk }, {}])
      await expect(importFrom(file, engine, more)).rejects.toThrow(
        'a node has been started on this database',
      );
    const [node] = nodes;
    expect(await node?.test.labels()).toEqual([]);
    await node?.test.close();
  });

  it('gives all nodes the key of the file', async () => {
    const engine = await engineOf('postgres');
    const held = await openTransfer();
    await fillTransfer(held);
    const key = Buffer.alloc(32, 7).toString('base64url');
    const keyed = join(folder, 'keyed');
    await exportTo(keyed, held, key);
    await importFrom(keyed, engine);
    const node = await openTransfer(engine);
    const dataDir = await tempDir();
    await shareKey(node.connections, dataDir);
    expect((await readKeySecret(dataDir))?.toString('base64url')).toBe(key);
    await node.test.close();
  });
});
