import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { heldPort } from '../support/held-port.js';
import {
  listing,
  OPERATOR_TOKEN,
  publishMany,
  statusOf,
  sync,
  unpublish,
} from '../support/node/node-reader.js';
import { tempDir } from '../support/temp-dir.js';
import { type InProcessNode, startInProcess } from './adapters/in-process-node.js';

const ON_DEMAND = { schedule: '0 0 1 1 *', streams: 0 };
const env = { REGISTRY_OPERATOR_TOKEN: OPERATOR_TOKEN };

const said = async (node: InProcessNode) =>
  (await listing(node)).components.map(({ uri, label }) => `${uri} ${label}`);

describe('a node whose data directory is replaced by an older one, under running readers', () => {
  let origin: InProcessNode;
  let readers: InProcessNode[];
  let backup: string;

  beforeAll(async () => {
    const listen = { port: await heldPort() };
    origin = await startInProcess({ config: { write: 'operator', sync: ON_DEMAND, listen }, env });
    await publishMany(origin, 0, 200);
    const reader = (more: object) =>
      startInProcess({ config: { peers: [origin.url], sync: ON_DEMAND, ...more }, env });
    readers = [await reader({}), await reader({}), await reader({ mode: 'mirror' })];
    await pollAll();
    backup = await tempDir();
    await origin.stop();
    await cp(origin.dataDir, join(backup, 'data'), { recursive: true });
    await origin.restart();
  }, 60_000);

  const pollAll = () => Promise.all(readers.map((reader) => sync(reader)));
  async function expectEqual(): Promise<void> {
    const all = await said(origin);
    for (const reader of readers) expect(await said(reader)).toEqual(all);
  }
  async function restore(): Promise<void> {
    await origin.stop();
    await rm(origin.dataDir, { recursive: true });
    await cp(join(backup, 'data'), origin.dataDir, { recursive: true });
    await origin.restart();
  }

  test('they are as it is after one poll, when it is behind what they have read', async () => {
    await publishMany(origin, 200, 50);
    await unpublish(origin, 3);
    await pollAll();
    await expectEqual();
    await restore();
    await pollAll();
    await expectEqual();
    for (const reader of readers) expect((await statusOf(reader, origin.url)).state).toBe('ok');
    expect(await said(readers[0] as InProcessNode)).toHaveLength(200);
  });

  test('and when it has gone another way since', async () => {
    await publishMany(origin, 300, 60);
    await unpublish(origin, 5);
    await pollAll();
    await expectEqual();
    await restore();
    await publishMany(origin, 400, 80, 'Another');
    await unpublish(origin, 7);
    await pollAll();
    await expectEqual();
    for (const reader of readers) expect((await statusOf(reader, origin.url)).state).toBe('ok');
    await pollAll();
    const answers = await metricsOf(origin);
    await pollAll();
    expect((await metricsOf(origin)) - answers).toBe(readers.length);
  });

  test('and when it begins with nothing, once an operator accepts that it has nothing', async () => {
    await origin.stop();
    await rm(origin.dataDir, { recursive: true });
    await origin.restart();
    await publishMany(origin, 500, 3);
    await pollAll();
    const held = await statusOf(readers[0] as InProcessNode, origin.url);
    expect(held).toMatchObject({ state: 'held', notice: expect.stringContaining('accept=shrink') });
    expect((await said(readers[0] as InProcessNode)).length).toBeGreaterThan(200);
    for (const reader of readers)
      await sync(reader, `?source=${encodeURIComponent(origin.url)}&accept=shrink`);
    await expectEqual();
  });
});

/** How many requests of the feed it has answered with 304. */
async function metricsOf(node: InProcessNode): Promise<number> {
  const text = await (await fetch(`${node.url}/metrics`)).text();
  const [, count] =
    /request_duration_seconds_count\{route="\/feed",method="GET",status="304"\} (\d+)/.exec(text) ?? [];
  return Number(count ?? 0);
}
