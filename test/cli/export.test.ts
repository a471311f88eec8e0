import { chmod, mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { run } from '../../src/cli/export-verb.js';
import { run as runImport } from '../../src/cli/import-verb.js';
import { loadKeys } from '../../src/connection/tokens/key-file.js';
import { checkExport } from '../../src/transfer/export-file.js';
import { openedIn } from '../keep/level-engine.js';
import { BASE_URL, component, openRegistry } from '../support/registry.js';
import { tempDir } from '../support/temp-dir.js';

let folder: string;
let file: string;
/** What is written to standard error. */
let noted: string;

beforeEach(async () => {
  folder = await tempDir();
  file = join(folder, 'export');
  noted = '';
});

const terminal = {
  say: () => undefined,
  note: (text: string) => {
    noted += text;
  },
};

/** Exports with a configuration of its own. */
async function exportWith(config: object): Promise<number> {
  const path = join(folder, 'node.config.json');
  await writeFile(path, JSON.stringify(config));
  return run(file, { config: path }, terminal);
}

describe('the command that exports', () => {
  it('takes over nothing of its configuration', async () => {
    const open = () => openedIn(join(folder, 'data', 'store')).then((place) => openRegistry(place));
    const node = await open();
    await node.upsertLocal([component('a')]);
    const { revision } = await node.state();
    await node.close();
    const pods = [{ url: 'https://other.example/' }];
    expect(await exportWith({ dataDir: join(folder, 'data'), baseUrl: 'https://copy.example', pods })).toBe(
      0,
    );
    expect((await checkExport(file)).header.baseUrl).toBe(BASE_URL);
    const again = await open();
    expect((await again.state()).revision).toEqual(revision);
    await again.close();
  });

  it('refuses a directory in which nothing is stored, and does not make it', async () => {
    await expect(exportWith({ dataDir: join(folder, 'mistyped') })).rejects.toThrow(
      'no node has stored anything',
    );
    expect(await readdir(folder)).toEqual(['node.config.json']);
  });

  it('refuses a place that nobody has written to', async () => {
    await (await openedIn(join(folder, 'data', 'store'))).close();
    await expect(exportWith({ dataDir: join(folder, 'data') })).rejects.toThrow(
      'no node has stored anything',
    );
    expect(await readdir(folder)).not.toContain('export');
  });

  it('says of the data of a former version what to do', async () => {
    await mkdir(join(folder, 'data', 'registry'), { recursive: true });
    await expect(exportWith({ dataDir: join(folder, 'data') })).rejects.toThrow('version 0.2.0 or before');
  });
});

it('the commands log on standard error, because standard output has the result', async () => {
  const [from, to] = [join(folder, 'from'), join(folder, 'to')];
  const node = await openRegistry(await openedIn(join(from, 'store')));
  await node.upsertLocal([component('a')]);
  await node.close();
  await mkdir(to);
  for (const dataDir of [from, to]) await chmod(dataDir, 0o755);
  await exportWith({ dataDir: from });
  expect(noted).toContain('could reach the data');
  const config = join(folder, 'new.json');
  await writeFile(config, JSON.stringify({ dataDir: to }));
  noted = '';
  await runImport(file, { config }, terminal);
  expect(noted).toContain('could reach the data');
});

it('the command that imports keeps the key for tokens that is there, and says what to do', async () => {
  const [from, to] = [join(folder, 'from'), join(folder, 'to')];
  const node = await openRegistry(await openedIn(join(from, 'store')));
  await node.upsertLocal([component('a')]);
  await node.close();
  for (const dataDir of [from, to]) await loadKeys(dataDir);
  expect(await exportWith({ dataDir: from })).toBe(0);
  const config = join(folder, 'new.json');
  await writeFile(config, JSON.stringify({ dataDir: to }));
  const why = 'has another key for tokens than the file: move connection-key.json away';
  await expect(runImport(file, { config }, terminal)).rejects.toThrow(why);
  expect(await readdir(to)).toEqual(['connection-key.json']);
});
