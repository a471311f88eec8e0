import { beforeEach, expect, it } from 'vitest';
import type { NetworkLists } from '../../../../src/core/network-lists.js';
import { FollowedOrigin } from '../../../support/peer/followed-origin.js';
import { component } from '../../../support/registry.js';

const HOUR = 60 * 60 * 1000;
const known = (url: string) => ({ url, hops: 0, via: [] });
const GHOST = known('https://ghost.example');
const LISTS: NetworkLists = { peers: [known('https://p.example')], storage: [known('https://s.example/')] };

let pair: FollowedOrigin;
beforeEach(async () => {
  pair = await FollowedOrigin.open();
  await pair.origin.registry.upsertLocal([component('a')]);
  await pair.origin.registry.setNetwork(LISTS);
});
const introduced = async () =>
  (await pair.reader.stored())?.record.introduced?.peers.map(({ url }) => url) ?? [];
const withGhost = (lists: NetworkLists) => ({ ...lists, peers: [...lists.peers, GHOST] });

it('lists that a peer has told wrongly, without a change of its state, are noticed after two hours', async () => {
  pair.feed.lists = withGhost;
  await pair.poll();
  expect(await introduced()).toContain(GHOST.url);
  pair.feed.lists = (lists) => lists;
  await pair.poll();
  expect(await introduced()).toContain(GHOST.url);
  pair.requests();
  pair.clock.pass(2 * HOUR);
  await pair.poll();
  // One of them is the question what the lists are.
  expect(pair.requests().filter((request) => request.startsWith('/feed'))).toHaveLength(2);
  // It has kept the entity tags of the lists that it has told wrongly, so it is asked without them.
  await pair.poll();
  expect(await introduced()).toEqual(['https://p.example']);
});

it('lists that are not what the peer itself says of them are read anew at the next poll, in full', async () => {
  pair.feed.lists = (lists, told) => (told === 'digest' ? lists : withGhost(lists));
  await pair.poll();
  expect(await introduced()).toContain(GHOST.url);
  pair.feed.lists = (lists) => lists;
  pair.requests();
  await pair.poll();
  expect(pair.requests()).toEqual([expect.stringMatching(/ 304$/), '/peers 200', '/storage 200']);
  expect(await introduced()).toEqual(['https://p.example']);
});

it('while nothing is wrong, the question costs one request in two hours, and no body', async () => {
  await pair.poll();
  pair.requests();
  pair.clock.pass(2 * HOUR);
  await pair.poll();
  expect(pair.requests().map((request) => request.slice(-3))).toEqual(['304', '200']);
  for (let round = 0; round < 3; round++) await pair.poll();
  expect(pair.requests().map((request) => request.slice(-3))).toEqual(['304', '304', '304']);
});
