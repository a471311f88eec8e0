import { execFile } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { StorageFailure, StoreUnavailable } from '../../../src/lib/faults.js';
import { cleanup } from '../../support/cleanup.js';
import { openTestStore } from '../../support/postgres-engine.js';
import { PostgresServer } from '../../support/postgres-server.js';
import { component, registryOptions, TestRegistry } from '../../support/registry.js';
import { smallDisk } from '../../support/small-disk.js';
import { waitFor } from '../../support/wait-for.js';

describe('a database with a full disk', () => {
  it('keeps what was acknowledged, refuses the rest, and goes on when there is room', async () => {
    const disk = await smallDisk(96);
    await promisify(execFile)('chmod', ['777', disk]);
    const server = await PostgresServer.start(
      { synchronous_commit: 'on', fsync: 'off', max_wal_size: '8MB', min_wal_size: '2MB' },
      { under: disk },
    );
    cleanup(() => server.remove());
    const url = await server.createDatabase();
    const store = await openTestStore(url, { patienceMs: 500 });
    cleanup(() => store.close());
    const registry = new TestRegistry(await store.load(registryOptions()));
    await registry.upsertLocal([component('kept')]);
    const filler = join(disk, 'filler');
    await promisify(execFile)('sh', ['-c', `dd if=/dev/zero of=${filler} bs=64k 2>/dev/null || true`]);
    const acknowledged = ['kept'];
    let failure: unknown;
    for (let i = 0; i < 200 && !failure; i++) {
      const name = `n${i}`;
      const big = component(name, {
        description: Array.from({ length: 1_600 }, (_, k) => (i * 7919 + k * 104729).toString(36)).join(' '),
      });
      await registry.upsertLocal([big]).then(
        () => acknowledged.push(name),
        (error) => {
          failure = error;
        },
      );
    }
    expect([StorageFailure, StoreUnavailable]).toContain((failure as Error)?.constructor);
    expect(store.trouble).toBeDefined();
    await rm(filler);
    await server.ensureRunning();
    await waitFor(() => registry.upsertLocal([component('after')]));
    const there = await registry.labels();
    expect(acknowledged.filter((name) => !there.includes(name))).toEqual([]);
    expect(there).toContain('after');
  });
});
