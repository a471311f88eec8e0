import { expect, it } from 'vitest';
import type { Row } from '../../src/keep/keep.js';
import { readRegistry } from '../../src/transfer/stored-registry.js';
import { fillTransfer, openTransfer } from '../support/transfer.js';

it('a registry in which statements are missing is not exported', async () => {
  const held = await openTransfer();
  await fillTransfer(held);
  const { keep } = held.test;
  await keep.exclusively(async ({ rows }) => {
    const found: Row[] = [];
    for await (const batch of rows(['statement'])) found.push(...batch.rows);
    const [lost] = found as [Row];
    return { rows: [{ ...lost, value: undefined }], result: undefined };
  });
  await expect(readRegistry(keep, 'here')).rejects.toThrow(
    /here is damaged: the statements of .* are not those/,
  );
  await held.test.close();
});
