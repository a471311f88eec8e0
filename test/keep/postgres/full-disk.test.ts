import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { KeepFull, KeepUnavailable } from '../../../src/keep/faults.js';
import { cleanup } from '../../support/cleanup.js';
import { PostgresServer } from '../../support/postgres-server.js';
import { smallDisk } from '../../support/small-disk.js';
import { waitFor } from '../../support/wait-for.js';
import { rowsOf, write } from '../contract.js';
import { openedAt } from './postgres-engine.js';

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
    const place = await openedAt(url, { patienceMs: 500 });
    cleanup(() => place.close());
    const keep = await place.keep('registry');
    const acknowledged: string[] = [];
    const commit = async (key: string, bytes: number) => {
      await write(keep, { rows: [{ table: 'filled', key, value: randomBytes(bytes / 2).toString('hex') }] });
      acknowledged.push(key);
    };
    await commit('kept', 10);
    const filler = join(disk, 'filler');
    await promisify(execFile)('sh', ['-c', `dd if=/dev/zero of=${filler} bs=64k 2>/dev/null || true`]);
    const filling = async () => {
      for (let i = 0; i < 200; i++) await commit(`n${i}`, 16_000);
    };
    const failure = await filling().catch((error: unknown) => error);
    expect([KeepFull, KeepUnavailable]).toContain((failure as Error | undefined)?.constructor);
    expect(keep.trouble).toBeDefined();
    await rm(filler);
    await server.ensureRunning();
    await waitFor(() => commit('after', 10).then(() => true));
    const there = (await rowsOf(keep, 'filled')).map(({ key }) => key);
    expect(acknowledged.filter((key) => !there.includes(key))).toEqual([]);
    expect(there).toContain('after');
  });
});
