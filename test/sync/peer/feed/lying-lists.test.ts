import { beforeEach, expect, it } from 'vitest';
import type { NetworkLists } from '../../../../src/core/network-lists.js';
import { FollowedOrigin } from '../../../support/peer/followed-origin.js';
import { component } from '../../../support/registry.js';

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
