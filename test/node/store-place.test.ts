import { chmod, mkdir, readdir, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { systemPace } from '../../src/lib/pace.js';
import { makePrivate, storePlaceOf } from '../../src/node/store-place.js';
import { parse } from '../acceptance/adapters/parsed-config.js';
import { hasPostgres } from '../support/postgres-programs.js';
import { newDatabase } from '../support/shared-server.js';
import { tempDir } from '../support/temp-dir.js';

let dataDir: string;

beforeEach(async () => {
  dataDir = await tempDir();
  warnings.length = 0;
});

const config = parse({});
const warnings: unknown[] = [];
const log = { info: () => undefined, warn: (said: unknown) => warnings.push(said) } as never;
const openOf = (given: Parameters<typeof storePlaceOf>[0], directory = dataDir) =>
  storePlaceOf(given)(directory, { pace: systemPace, log });

describe('a start after an import that was killed', () => {
  it('removes what was left, which nobody else could read', async () => {
    const draft = join(dataDir, 'importing');
    await (await openOf(config, draft)).close();
    expect((await stat(draft)).mode & 0o777).toBe(0o700);
    await (await openOf(config)).close();
    expect([await readdir(dataDir), warnings]).toEqual([['store'], []]);
  });

  it.skipIf(!hasPostgres())('leaves it where nodes store in a database: it may be under way', async () => {
    await mkdir(join(dataDir, 'importing'));
    const store = { engine: 'postgres', connections: 2, statementSeconds: 10 } as const;
    await (await openOf({ ...config, store, storeUrl: await newDatabase() })).close();
    expect(await readdir(dataDir)).toEqual(['importing']);
  });

  it('warns of what cannot be removed, and goes on', async () => {
    // Of a path that is too long even root removes nothing.
    const below = (name: string) => join(dataDir, name, ...Array(15).fill('x'.repeat(250)));
    for (const name of ['importing', 'more']) await mkdir(below(name), { recursive: true });
    const tooDeep = join(below('importing'), 'more');
    await rename(join(dataDir, 'more'), tooDeep);
    try {
      await (await openOf(config)).close();
      expect(warnings).toMatchObject([{ path: join(dataDir, 'importing') }]);
    } finally {
      await rename(tooDeep, join(dataDir, 'more'));
    }
  });
});

it('takes the rights of others on a data directory, and says so once', async () => {
  const directory = join(await tempDir(), 'data');
  await mkdir(directory);
  await chmod(directory, 0o755);
  for (let start = 0; start < 2; start++) {
    await makePrivate(directory, log);
    expect((await stat(directory)).mode & 0o777).toBe(0o700);
    expect(warnings).toHaveLength(1);
  }
});
