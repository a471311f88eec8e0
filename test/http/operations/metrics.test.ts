import { expect, it } from 'vitest';
import { createMetrics } from '../../../src/http/operations/metrics.js';

it('the metrics have figures of the process', async () => {
  const text = await createMetrics().registry.metrics();
  expect(text).toContain('nodejs_eventloop_lag_seconds');
  expect(text).toContain('process_resident_memory_bytes');
});
