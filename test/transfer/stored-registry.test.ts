import { beforeEach, describe, expect, it } from 'vitest';
import type { Head, Keep, Row } from '../../src/keep/keep.js';
import { withoutPause } from '../../src/lib/pace.js';
import { TABLES } from '../../src/registry/rows.js';
import { readRegistry } from '../../src/transfer/stored-registry.js';
import { ORDER } from '../registry/sources.js';
import { BASE_URL, component } from '../support/registry.js';
import {
  contents,
  fillTransfer,
  openTransfer,
  TRANSFER_ENGINES,
  type TransferEngine,
} from '../support/transfer.js';

const read = (keep: Keep) => readRegistry(keep, { pace: withoutPause, where: 'here' });

async function rowsIn(keep: Keep): Promise<{ head: Head; rows: Row[] }> {
  const rows: Row[] = [];
  let head: Head | undefined;
  for await (const batch of keep.rows(TABLES)) {
    head = batch.head;
    rows.push(...batch.rows);
  }
  return { head: head as Head, rows };
}

describe.each(Object.keys(TRANSFER_ENGINES))('what is stored of a registry in %s', (name) => {
  let engine: TransferEngine;

  beforeEach(async () => {
    engine = await (TRANSFER_ENGINES[name] as () => Promise<TransferEngine>)();
  });

  it('is read as nodes have shown it last, and nothing is written', async () => {
    const held = await openTransfer(engine);
    await fillTransfer(held);
    const expected = await contents({ ...held, connections: undefined });
    const { revision } = await held.test.state();
    await held.test.close();
    const place = await engine.openPlace(engine.dataDir);
    const keep = await place.keep('registry');
    const before = await rowsIn(keep);
    const stored = await read(keep);
    if (!stored) throw new Error('nothing is stored');
    expect(await contents(stored)).toEqual(expected);
    expect((await stored.catalog.state()).revision).toEqual(revision);
    expect(stored.serving).toMatchObject({ baseUrl: BASE_URL, order: ORDER });
    expect(await rowsIn(keep)).toEqual(before);
    await place.close();
  });

  it('is one state, whatever is written meanwhile', async () => {
    const held = await openTransfer(engine);
    await fillTransfer(held);
    const expected = await contents({ ...held, connections: undefined });
    const stored = await read(held.test.keep);
    await held.test.upsertLocal([component('late')]);
    expect(stored && (await contents(stored))).toEqual(expected);
    await held.test.close();
  });

  it('is nothing where no node has been', async () => {
    const place = await engine.openPlace(engine.dataDir);
    expect(await read(await place.keep('registry'))).toBeUndefined();
    await place.close();
  });

  it('is refused where statements are missing, and stays as it is', async () => {
    const held = await openTransfer(engine);
    await fillTransfer(held);
    await held.test.close();
    const place = await engine.openPlace(engine.dataDir);
    const keep = await place.keep('registry');
    const [lost] = (await rowsIn(keep)).rows.filter(({ table }) => table === 'statement');
    if (!lost) throw new Error('there is no statement');
    await keep.exclusively(async () => ({ rows: [{ ...lost, value: undefined }], result: undefined }));
    const before = await rowsIn(keep);
    await expect(read(keep)).rejects.toThrow(/here is damaged: the statements of .* are not those/);
    expect(await rowsIn(keep)).toEqual(before);
    await place.close();
  });
});
