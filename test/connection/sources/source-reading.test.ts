import { expect, test } from 'vitest';
import { createSourceReader } from '../../../src/connection/sources/source-reading.js';
import { TaskTimeout } from '../../../src/lib/faults.js';
import { createGuardedFetch } from '../../../src/lib/fetch/guarded-fetch.js';
import { PoolBusy } from '../../../src/lib/pool/task.js';
import { cleanup } from '../../support/cleanup.js';
import { fakeServer, inTurtle } from '../../support/fake-server.js';
import { VOCABULARY } from '../../support/registry.js';

test.each<[string, Error]>([
  ['has too much to read', new PoolBusy()],
  ['gives it no more time', new TaskTimeout('more than 5 s')],
  ['has a fault', new TypeError('x is undefined')],
])('that the node %s is not told as a fault of the address or of the document', async (_, error) => {
  const pod = (await fakeServer()).everything(inTurtle('<#it> <urn:p> 1 .'));
  const fetch = createGuardedFetch({
    ...{ userAgent: 'test', maxBytes: 1_000, timeoutMs: 2_000, allowPrivate: true },
  });
  cleanup(() => fetch.close());
  const run = () => {
    throw error;
  };
  const { signal } = new AbortController();
  const read = createSourceReader({ fetch, vocabulary: VOCABULARY, pool: { run }, signal });
  expect(await read({ url: pod.url('/doc') })).toEqual({
    kind: 'failed',
    message: expect.stringMatching(/^This node has .*Try again in a moment \(/),
  });
});
