import { expect, it } from 'vitest';
import type { DocumentReading } from '../../src/core/reading.js';
import { Batching, MOST_IN_BATCH } from '../../src/sync/batching.js';
import { component } from '../support/registry.js';

/** How many readings each batch has, of so many alike. */
function sizes(reading: DocumentReading, count: number): number[] {
  const batching = new Batching();
  const batches = Array.from({ length: count }, () => [...batching.add(reading)]).flat();
  return [...batches.map(({ put }) => put.length), batching.take().length];
}

const invalid = Array.from({ length: 100 }, () => ({
  subject: 's'.repeat(200),
  reasons: ['r'.repeat(2000)],
}));

it.each<[string, DocumentReading, number]>([
  [
    'what documents say',
    { url: 'd', components: [component('a', { description: 'x'.repeat(16_000) })], record: {} },
    600,
  ],
  ['what is told of descriptions that cannot be used', { url: 'd', components: [], record: { invalid } }, 60],
])('a batch is full of %s', (_, reading, count) => {
  const [first = 0, ...others] = sizes(reading, count);
  expect(others.length).toBeGreaterThan(0);
  expect(first).toBeLessThan(count);
  expect(JSON.stringify(reading).length * first).toBeLessThan(2 * MOST_IN_BATCH.bytes);
});
