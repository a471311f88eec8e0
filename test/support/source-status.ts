import type { SourceStatus } from '../../src/explain/source-status.js';

/** What the status says of a sound pod of the configuration, unless a test says otherwise. */
export const sourceStatus = (more: Partial<SourceStatus> = {}): SourceStatus => ({
  ...{ url: 'https://pod.example/', kind: 'pod', configured: true, hops: 0, via: [], state: 'ok' },
  ...{ failures: 0, components: 0, documents: 0, invalid: [], failing: [] },
  ...more,
});
