import { getEventListeners } from 'node:events';
import { expect, it } from 'vitest';
import { linkedAbort } from '../../src/lib/linked-abort.js';

it('is aborted with the other signal, also where that has been aborted before, and alone', () => {
  const stop = new AbortController();
  const [linked, alone] = [linkedAbort(stop.signal), linkedAbort(stop.signal)];
  alone.abort('alone');
  expect(stop.signal.aborted).toBe(false);
  stop.abort('all');
  const late = linkedAbort(stop.signal);
  const reasons = [linked, alone, late].map(({ signal }) => signal.reason);
  expect(reasons).toEqual(['all', 'alone', 'all']);
});

it('leaves nothing with the other signal once it has ended', () => {
  const { signal } = new AbortController();
  linkedAbort(signal).end();
  const symbol = Object.getOwnPropertySymbols(signal).find((one) => /dependant/i.test(`${one.description}`));
  expect((symbol && Reflect.get(signal, symbol))?.size ?? 0).toBe(0);
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});
