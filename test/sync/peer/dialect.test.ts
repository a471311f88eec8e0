import { expect, it } from 'vitest';
import { COMPONENTS } from '../../../src/sync/peer/dialect.js';

it('nodes of this version ask those of the first in the words in which those ask', () => {
  expect(COMPONENTS.list).toBe(
    'application/n-quads, application/ld+json;q=0.9, application/json;q=0.8, text/turtle;q=0.7',
  );
});
