import { createHash } from 'node:crypto';
import { appendFile, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, it } from 'vitest';
import { LOCAL } from '../../src/component/source.js';
import { refuseUnfinishedImport } from '../../src/registry/unfinished-import.js';
import { checkExport, UnusableExport } from '../../src/transfer/export-file.js';
import type { ExportRecord } from '../../src/transfer/export-record.js';
import { POD_B } from '../registry/sources.js';
import { cleanup } from '../support/cleanup.js';
import { component } from '../support/registry.js';
import { seededRandom } from '../support/seeded-random.js';
import { tempDir } from '../support/temp-dir.js';
import {
  contents,
  exportTo,
  fillTransfer,
  importFrom,
  openTransfer,
  type TransferEngine,
} from '../support/transfer.js';
import { TRANSFER_ENGINES } from '../support/transfer-engines.js';

let folder: string;
/** A whole export, compressed and not. */
let file: string;
let packed: string;

beforeEach(async () => {
  folder = await tempDir();
  file = join(folder, 'all');
  packed = join(folder, 'all.gz');
  const { held } = await open('memory');
  await fillTransfer(held);
  await exportTo(file, held);
  await exportTo(packed, held);
});

async function open(name: string) {
  const engine = await (TRANSFER_ENGINES[name] as () => Promise<TransferEngine>)();
  cleanup(() => engine.registry.remove());
  return { engine, held: await openTransfer(engine) };
}

describe('an export', () => {
  it('may be read by its owner alone, and is packed when its name says so', async () => {
    for (const path of [file, packed]) expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(gunzipSync(await readFile(packed)).equals(await readFile(file))).toBe(true);
  });

  it('replaces no file, and leaves none when it fails', async () => {
    const { held } = await open('memory');
    await expect(exportTo(file, held)).rejects.toThrow('is there already and stays as it is');
    const failing = { ...held, catalog: { ...held.catalog, state: () => held.catalog.state() } };
    Object.assign(failing.catalog, { changes: () => Promise.reject(new Error('cannot be read')) });
    const other = join(folder, 'other');
    await expect(exportTo(other, failing)).rejects.toThrow('cannot be read');
    await expect(stat(other)).rejects.toThrow('ENOENT');
    await expect(stat(join(folder, '.other.partial'))).rejects.toThrow('ENOENT');
  });

  it('is refused when the registry is changed while it is read', async () => {
    const { held } = await open('memory');
    await fillTransfer(held);
    const network = async () => {
      await held.test.upsertLocal([component('late')]);
      return { peers: [], storage: [] };
    };
    const changing = { ...held, catalog: { ...held.catalog, network } };
    Object.setPrototypeOf(changing.catalog, held.catalog);
    for (const method of ['state', 'changes'] as const) {
      Object.assign(changing.catalog, { [method]: held.catalog[method].bind(held.catalog) });
    }
    await expect(exportTo(join(folder, 'other'), changing)).rejects.toThrow('stop every node that uses it');
  });
});

const KEY = JSON.stringify({ type: 'key', secret: 'x' });

describe('a file that is not whole', () => {
  it('is refused wherever it was cut off', async () => {
    const random = seededRandom(3);
    for (const path of [file, packed]) {
      const whole = await readFile(path);
      const cuts = [1, whole.length - 1, ...Array.from({ length: 30 }, () => random() * whole.length)];
      for (const cut of cuts) {
        const part = join(folder, 'part');
        await writeFile(part, whole.subarray(0, Math.floor(cut)));
        await expect(checkExport(part), `${path} cut at ${cut}`).rejects.toThrow(UnusableExport);
      }
    }
  });

  it('is refused whatever bit is wrong in it', async () => {
    const random = seededRandom(5);
    const whole = await readFile(file);
    for (let round = 0; round < 60; round += 1) {
      const bytes = Buffer.from(whole);
      const at = Math.floor(random() * bytes.length);
      bytes[at] = (bytes[at] ?? 0) ^ (1 << Math.floor(random() * 8));
      const damaged = join(folder, 'damaged');
      await writeFile(damaged, bytes);
      await expect(checkExport(damaged), `byte ${at}`).rejects.toThrow(UnusableExport);
      await writeFile(damaged, gzipSync(bytes));
      await expect(checkExport(damaged), `byte ${at}, packed`).rejects.toThrow(UnusableExport);
    }
  });

  it.each([
    ['is empty', '', 'is empty'],
    ['is something else', '{"a":1}\n', 'is not an export'],
    ['is no JSON', 'PK\x03\x04', 'is not complete'],
    ['is no text', '\x89PNG\r\n\x1a\n', 'is not an export'],
    [
      'is of a newer release',
      '{"type":"header","format":"component-registry-export","version":3}\n',
      'was written by a newer release (version 3 of the format, this one knows 2)',
    ],
  ])('is refused when it %s', async (_what, text, message) => {
    const path = join(folder, 'other');
    await writeFile(path, text, 'latin1');
    await expect(checkExport(path)).rejects.toThrow(message);
  });

  it.each<[string, (line: string) => string, RegExp]>([
    [
      'has a time that no date can hold',
      (line) => line.replace(/"at":\d+/, '"at":1e308'),
      /line \d+ .*at is no moment/,
    ],
    [
      'has a time before all times',
      (line) => line.replace(/"at":\d+/, '"at":-1'),
      /line \d+ .*at is before 1970/,
    ],
    [
      'has a second key',
      (line) => line.replace(/^\{"type":"header".*$/, `$&\n${KEY}\n${KEY}`),
      /damaged: it has two keys/,
    ],
  ])('is refused when it %s, and the message says so', async (_what, change, message) => {
    const lines = (await readFile(file, 'utf8')).trimEnd().split('\n').slice(0, -1).map(change);
    const text = `${lines.join('\n')}\n`;
    const end = {
      ...{ type: 'end', lines: text.split('\n').length - 1 },
      sha256: createHash('sha256').update(text).digest('hex'),
    };
    await writeFile(file, `${text}${JSON.stringify(end)}\n`);
    await expect(checkExport(file)).rejects.toThrow(message);
    await expect(checkExport(file)).rejects.toThrow(UnusableExport);
  });

  it('is refused when it is not there, and when more stands behind its end', async () => {
    await expect(checkExport(join(folder, 'nothing'))).rejects.toThrow('there is no file');
    await appendFile(file, '{}\n');
    await expect(checkExport(file)).rejects.toThrow('something stands behind its last line');
  });
});

describe.each(Object.keys(TRANSFER_ENGINES))('an import into %s', (name) => {
  it('that was broken off goes on, wherever that was, and stores nothing twice', async () => {
    const { held: source } = await open('memory');
    await importFrom(file, source);
    const expected = await contents(source);
    const { engine, held } = await open(name);
    let target = held;
    for (let most = 0; ; most += 1) {
      const commits = failingAfter(target, most);
      const error = await importFrom(file, target).then(() => undefined, String);
      if (error === undefined) break;
      expect(error).toContain('broken off');
      expect(commits.done).toBe(most);
      expect(most).toBeLessThan(50);
      if (most > 0)
        await expect(refuseUnfinishedImport(target.registry)).rejects.toThrow(
          'run the import of the same file again',
        );
      await target.close();
      target = await openTransfer(engine);
    }
    expect(await contents(target)).toEqual(expected);
    const { feed } = await target.catalog.state();
    expect(feed.tombstones).toBe(0);
    await refuseUnfinishedImport(target.registry);
    expect(await importFrom(file, target)).toEqual({ wasThere: true, resumedAt: 0 });
    await target.close();
  });

  it('changes nothing where something else is, unless it may replace that', async () => {
    const { held } = await open(name);
    await held.test.upsertLocal([component('mine'), component('own', { label: 'Mine' })]);
    await held.test.commit({
      source: POD_B,
      documents: [{ url: POD_B.url, components: [component('b')], record: { etag: 'x' } }],
      record: { failures: 0 },
    });
    const [prepared] = [await held.records?.prepare({})];
    await prepared?.write([{ table: 'connection', key: 'urn:mine', value: { seq: 1, record: {} } }]);
    const before = await contents(held);
    await expect(importFrom(file, held)).rejects.toThrow(
      'there are 3 statements of 2 sources here already, or connections: import into an empty data directory',
    );
    expect(await contents(held)).toEqual(before);

    expect(await importFrom(file, held, { replace: true })).toEqual({ wasThere: false, resumedAt: 0 });
    const { held: fresh } = await open('memory');
    await importFrom(file, fresh);
    expect(timeless(await contents(held))).toEqual(timeless(await contents(fresh)));
    await held.close();
  });

  it('that was broken off while it removed what was there begins with that again', async () => {
    const { engine, held } = await open(name);
    await held.test.upsertLocal([component('mine')]);
    for (const pod of ['a', 'b', 'c']) {
      const url = `https://${pod}.pod.example/`;
      await held.test.commit({
        source: { kind: 'pod', url },
        documents: [{ url, components: [component(pod)], record: {} }],
        record: { failures: 0 },
      });
    }
    const forget = held.registry.forget.bind(held.registry);
    let forgotten = 0;
    Object.assign(held.registry, {
      forget: async (...args: Parameters<typeof forget>) => {
        forgotten += 1;
        if (forgotten > 2) throw new Error('broken off');
        return forget(...args);
      },
    });
    await expect(importFrom(file, held, { replace: true })).rejects.toThrow('broken off');
    await held.close();
    const again = await openTransfer(engine);
    await expect(refuseUnfinishedImport(again.registry)).rejects.toThrow();
    await importFrom(file, again);
    const { held: fresh } = await open('memory');
    await importFrom(file, fresh);
    expect(timeless(await contents(again))).toEqual(timeless(await contents(fresh)));
    await again.close();
  });

  it('is refused while that of another file has not ended', async () => {
    const { held } = await open(name);
    failingAfter(held, 2);
    await expect(importFrom(file, held)).rejects.toThrow('broken off');
    const { held: other } = await open('memory');
    await other.test.upsertLocal([component('other')]);
    await exportTo(join(folder, 'other'), other);
    await expect(importFrom(join(folder, 'other'), held)).rejects.toThrow(
      'the import of another file has begun',
    );
    await held.close();
  });

  it('notices that what is stored is not what the file holds, and no node starts with it', async () => {
    const { held } = await open(name);
    const commit = held.registry.commit.bind(held.registry);
    Object.assign(held.registry, {
      commit: ({ documents, ...change }: Parameters<typeof commit>[0]) =>
        commit({
          ...change,
          documents: documents.map((document) =>
            document.components
              ? { ...document, components: document.components.filter(({ uri }) => !uri.endsWith('/c.js')) }
              : document,
          ),
        }),
    });
    await expect(importFrom(file, held)).rejects.toThrow(
      /is not what .* holds: statements pod https:\/\/a\.example\/ \(4 instead of 5\)/,
    );
    await expect(refuseUnfinishedImport(held.registry)).rejects.toThrow();
    await held.close();
  });

  it('leaves nothing behind of a node that holds nothing of its own', async () => {
    const { held: empty } = await open('memory');
    await exportTo(join(folder, 'empty'), empty);
    const { held } = await open(name);
    await importFrom(join(folder, 'empty'), held);
    expect(await held.registry.source(LOCAL)).toBeUndefined();
    await held.close();
  });
});

/** Lets some commits of statements and records through; the next one fails, and nothing after it is done. */
function failingAfter({ registry }: { registry: { commit: unknown } }, most: number) {
  const commit = (registry.commit as (...args: unknown[]) => Promise<unknown>).bind(registry);
  const commits = { done: 0 };
  Object.assign(registry, {
    commit: async (...args: unknown[]) => {
      if (commits.done >= most) throw new Error('broken off');
      commits.done += 1;
      return commit(...args);
    },
  });
  return commits;
}

/** What is there, without when it came and in which order. */
function timeless(entries: readonly ExportRecord[]): Map<string, ExportRecord> {
  const all = new Map<string, ExportRecord>();
  for (const entry of entries) {
    if (entry.type !== 'statement') all.set(JSON.stringify(Object.values(entry)), entry);
    else all.set(`${entry.source.url} ${entry.document} ${entry.component.uri}`, { ...entry, at: 0 });
  }
  return all;
}
