import { expect, test } from 'vitest';
import { mirrorLists } from '../../src/core/discoverer.js';
import { withoutPause } from '../../src/lib/pace.js';

test('a mirror lists what its upstreams list, in their words, each address once', async () => {
  const entry = (url: string, hops = 0, ...via: string[]) => ({ url, hops, via });
  const one = {
    peers: [entry('http://b/'), entry('http://a', 1, 'http://b')],
    storage: [entry('http://p/'), entry('http://q/', 2, 'http://b')],
  };
  const other = {
    peers: [entry('http://c'), entry('http://b')],
    storage: [entry('http://p'), entry('http://p/x'), entry('http://q/')],
  };
  expect(await mirrorLists([one, other], withoutPause())).toEqual({
    peers: [...one.peers, entry('http://c')],
    storage: [entry('http://p/'), entry('http://q/'), entry('http://p/x')],
  });
});
