import { expect, it } from 'vitest';
import { waitFor } from './wait-for.js';

it('waits until a condition holds, errors on the way included', async () => {
  let tries = 0;
  const third = () => {
    tries++;
    if (tries === 1) throw new Error('not yet');
    return tries === 3 && 'third';
  };
  expect(await waitFor(third)).toBe('third');
});

it('says what it waited for, and what went wrong last', async () => {
  const failing = () => Promise.reject(new Error('still down'));
  const waiting = waitFor(failing, { timeoutMs: 30, describe: () => 'the pod' });
  await expect(waiting).rejects.toMatchObject({ message: /30 ms.*the pod/, cause: new Error('still down') });
});
