import { beforeEach, describe, expect, it } from 'vitest';
import type { Head, Keep, Row } from '../../src/keep/keep.js';
import { TABLES } from '../../src/registry/rows.js';
import { readRegistry, type StoredRegistry } from '../../src/transfer/stored-registry.js';
import { ORDER } from '../registry/sources.js';
import { BASE_URL, component } from '../support/registry.js';
import {
  fillTransfer,
  type OpenTransfer,
  openTransfer,
  TRANSFER_ENGINES,
  type TransferEngine,
} from '../support/transfer.js';

/** What the feed of a registry tells, in the order in which it came to be said. */
async function said({ test }: OpenTransfer) {
  const told = await test.catalog.changes({ limit: 1_000 });
  if ('unknown' in told) throw new Error(told.unknown);
  const statements = told.changes.flatMap(({ at, since, source, document, metadata }) =>
    metadata
      ? { at: since ?? at, source: { kind: source.kind, url: source.url }, document, component: metadata }
      : [],
  );
  return statements.sort((one, other) => one.at - other.at);
}

function statementsIn(stored: StoredRegistry | undefined) {
  return [...(stored?.records() ?? [])].flatMap((record) => {
    if (record.type !== 'statement') return [];
    const { at, source, document, component } = record;
    return { at, source, document, component };
  });
}

const read = (keep: Keep) => readRegistry(keep, 'here');

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
    const expected = await said(held);
    const network = await held.test.catalog.network();
    const pins = await held.test.pins.list({ limit: 100 });
    await held.test.close();
    const place = await engine.openPlace(engine.dataDir);
    const keep = await place.keep('registry');
    const before = await rowsIn(keep);
    const stored = await read(keep);
    if (!stored) throw new Error('nothing is stored');
    const records = [...stored.records()];
    expect(statementsIn(stored)).toEqual(expected);
    expect(records.at(-1)).toEqual({ type: 'network', ...network });
    expect(records.flatMap((one) => (one.type === 'pin' ? one.pin : []))).toEqual(pins);
    expect(stored.serving).toMatchObject({ baseUrl: BASE_URL, order: ORDER });
    expect(await rowsIn(keep)).toEqual(before);
    await place.close();
  });

  it('is one state, whatever is written meanwhile', async () => {
    const held = await openTransfer(engine);
    await fillTransfer(held);
    const expected = await said(held);
    const stored = await read(held.test.keep);
    await held.test.upsertLocal([component('late')]);
    expect(statementsIn(stored)).toEqual(expected);
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
