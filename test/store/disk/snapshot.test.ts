import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { LOCAL } from '../../../src/component/source.js';
import { precedenceOf } from '../../../src/core/precedence.js';
import { systemClock } from '../../../src/lib/clock.js';
import { systemPace } from '../../../src/lib/pace.js';
import { copyDatabase } from '../../../src/store/disk/database/snapshot.js';
import { openDiskStore } from '../../../src/store/disk/disk-store.js';
import { VOCABULARY } from '../../support/registry.js';
import { component } from '../../support/registry-app.js';
import { tempDir } from '../../support/temp-dir.js';

const given = { clock: systemClock, pace: systemPace };

async function open(directory: string) {
  const store = await openDiskStore(directory, given);
  const loaded = await store.load({
    ...{ ...given, random: Math.random, log: { warn: () => undefined } },
    ...{ baseUrl: 'https://node.example', vocabulary: VOCABULARY, servedAs: 'test' },
    precedence: precedenceOf({ pods: [], peers: [] }),
  });
  return { ...loaded, close: () => store.close() };
}

it('copies a database that is written to: a state that it was in, and can be opened', async () => {
  const folder = await tempDir();
  const original = join(folder, 'registry');
  const { registry, close } = await open(original);
  const text = 'x'.repeat(10_000);
  let written = 0;
  let isOver = false;
  const writing = (async () => {
    for (; !isOver; written++) {
      // Large enough that LevelDB has to make tables meanwhile.
      const many = Array.from({ length: 40 }, (_, i) =>
        component(`https://c.example/${written}/${i}.js`, { description: text }),
      );
      await registry.commitOwn({ put: many });
    }
  })();
  try {
    for (let round = 0; round < 3; round++) {
      const least = written;
      const copy = join(folder, `copy-${round}`);
      expect(await copyDatabase(original, copy)).toBe(true);
      const most = written + 1;
      const opened = await open(copy);
      const own = await opened.registry.source(LOCAL);
      const count = own?.documents.get(LOCAL.url)?.components ?? 0;
      await opened.close();
      expect(count % 40).toBe(0);
      expect(count).toBeGreaterThanOrEqual(least * 40);
      expect(count).toBeLessThanOrEqual(most * 40);
    }
  } finally {
    isOver = true;
    await writing;
    await close();
  }
});

it('says that there is none, and makes none', async () => {
  const folder = await tempDir();
  expect(await copyDatabase(join(folder, 'nothing'), join(folder, 'copy'))).toBe(false);
  expect(await readdir(folder)).toEqual([]);
});
