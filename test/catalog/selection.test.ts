import { expect, test } from 'vitest';
import { Finder } from '../../src/catalog/selection.js';
import { KeyedMutex } from '../../src/lib/keyed-mutex.js';

test('a list that is there in this state is told from one that is made for a question', async () => {
  const one = { uri: 'urn:a' };
  const postings = { shapes: new Map(), author: new Map(), tag: new Map([['t', [one]]]) };
  const contents = { listing: { get: () => one }, index: { made: { postings } } };
  const finder = new Finder(contents as never, new KeyedMutex());
  const find = (query: object) => finder.find(query, {}, async () => undefined);
  expect(await find({ tag: ['t'] })).toEqual({ components: [one], isPosted: true });
  expect(await find({ uri: 'urn:a' })).toEqual({ components: [one], isPosted: false });
});
