import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Metadata } from '../../../src/component/metadata.js';
import type { Source } from '../../../src/component/source.js';
import { systemClock } from '../../../src/lib/clock.js';
import { StorageFailure } from '../../../src/lib/faults.js';
import { systemPace } from '../../../src/lib/pace.js';
import type { Level } from '../../../src/store/disk/database/level.js';
import { SCHEMA_VERSION } from '../../../src/store/disk/database/tables.js';
import { diskStoreOn } from '../../../src/store/disk/disk-store.js';
import { arrivalContract } from '../../registry/arrival-contract.js';
import { catalogContract } from '../../registry/catalog-contract.js';
import { digestContract } from '../../registry/digest-contract.js';
import { feedContract } from '../../registry/feed-contract.js';
import { forgettingContract } from '../../registry/forgetting-contract.js';
import { pinContract } from '../../registry/pin-contract.js';
import { pinHistories } from '../../registry/pin-history.js';
import { registryContract } from '../../registry/registry-contract.js';
import { OK, POD_A, precedence } from '../../registry/sources.js';
import { diskEngine } from '../../support/engines.js';
import { component, openRegistry, type TestRegistry } from '../../support/registry.js';
import { openQuadStore, PLACES, type Place } from '../../support/stores.js';
import { rounds } from '../../support/torture.js';
import { waitFor } from '../../support/wait-for.js';

// On its database in memory, which quad-store.test.ts holds to the same as the one on files; disk-engine-files.test.ts
// tries on files what a start finds again.
const engine = diskEngine('memory');
registryContract('disk', engine);
catalogContract('disk', engine);
feedContract('disk', engine);
// Of thousands of statements, files are quicker.
forgettingContract('disk', diskEngine('disk'));
digestContract('disk', engine);
pinContract('disk', engine);
arrivalContract('disk', engine);
pinHistories('disk', engine, rounds({ short: 20, full: 1000 }));

describe.each(Object.keys(PLACES))('the disk engine, its database in %s', (kind) => {
  let place: Place;
  let level: Level;
  let registry: TestRegistry;

  beforeEach(async () => {
    place = await (PLACES[kind] as () => Promise<Place>)();
    level = await place.open();
    registry = await openRegistry(level, { precedence });
  });
  afterEach(async () => {
    await registry.close();
    await place.remove();
  });

  async function reopen(more: Parameters<typeof openRegistry>[1] = {}): Promise<void> {
    await registry.close();
    level = await place.open();
    registry = await openRegistry(level, { precedence, ...more });
  }
  const say = (source: Source, components: Metadata[], url = `${source.url}doc`) =>
    registry.commit({ source, documents: [{ url, components, record: { etag: '"1"' } }], record: OK });
  const labels = () => registry.labels();

  it('dates a change by when readers saw it, where writing it took into another second', async () => {
    let now = Math.ceil(Date.now() / 1000) * 1000 + 60_900;
    const written = now + 1_300;
    await reopen({ clock: { ...systemClock, now: () => now } });
    const batch = level.batch.bind(level);
    Object.assign(level, {
      batch: () => {
        const made = (batch as () => { write(options: object): Promise<void> })();
        const write = made.write.bind(made);
        return Object.assign(made, {
          write: async (options: object) => {
            await write(options);
            now = written;
          },
        });
      },
    });
    await say(POD_A, [component('a')]);
    expect((await registry.state()).revision.since).toBe(written);
    const { revision } = await registry.state();
    await reopen();
    expect((await registry.state()).revision).toEqual(revision);
  });

  it('leaves everything as it was when the disk refuses', async () => {
    await say(POD_A, [component('a')]);
    const { revision } = await registry.state();
    const batch = level.batch.bind(level);
    Object.assign(level, {
      batch: () =>
        Object.assign((batch as () => object)(), { write: () => Promise.reject(new Error('no space left')) }),
    });
    await expect(say(POD_A, [component('b')])).rejects.toThrow(StorageFailure);
    await expect(registry.upsertLocal([component('c')])).rejects.toThrow('disk of this node is full');
    expect(await labels()).toEqual(['a']);
    expect((await registry.state()).revision).toEqual(revision);
    Object.assign(level, { batch });
    await waitFor(() => say(POD_A, [component('b')]));
    expect(await labels()).toEqual(['b']);
  });

  it('refuses a directory that a newer version has written', async () => {
    await registry.close();
    level = await place.open();
    const store = await openQuadStore(level);
    await store.write({ rows: [{ table: 'meta', key: 'schema', value: SCHEMA_VERSION + 1 }], durable: true });
    await store.close();
    level = await place.open();
    await expect(diskStoreOn(level, { clock: systemClock, pace: systemPace })).rejects.toThrow(
      new RegExp(`schema version ${SCHEMA_VERSION + 1}.*newer version`, 's'),
    );
  });
});
