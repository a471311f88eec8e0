import { beforeEach, describe, expect, it } from 'vitest';
import type { NetworkLists } from '../../../../src/core/network-lists.js';
import { ListScopes } from '../../../../src/http/network/list-scopes.js';
import type { DirectAnswer } from '../../../support/direct-fetch.js';
import type { SeenRequest } from '../../../support/fake-server.js';
import { FollowedOrigin, ORIGIN } from '../../../support/followed-origin.js';
import { component } from '../../../support/registry.js';
import { createTestApp } from '../../../support/registry-app.js';

const DAY = 24 * 60 * 60 * 1000;
const at = (hops: number, name = 'p') => ({
  url: `https://${name}${hops}.example`,
  hops,
  via: Array.from({ length: hops }, (_, i) => `https://v${i}.example`),
});
const LISTS: NetworkLists = { peers: [0, 1, 2, 3].map((hops) => at(hops)), storage: [at(0, 's')] };
const farther = { ...LISTS, peers: [...LISTS.peers, at(3, 'q')] };
const nearer = { ...farther, storage: [at(0, 's'), at(0, 't')] };

/** A reader of the real handlers of a node, without a network. */
let pair: FollowedOrigin;
let answer: (request: SeenRequest) => Promise<DirectAnswer>;

/** Has the origin's process start (again): it knows no more than what is stored. */
async function start(): Promise<void> {
  const { registry } = pair.origin;
  const parts = { registry, catalog: registry.catalog, clock: pair.clock };
  const { app } = await createTestApp(
    { baseUrl: ORIGIN },
    { ...parts, listScopes: new ListScopes(parts.catalog) },
  );
  answer = async ({ method, url, headers }) => {
    const answered = await app.request(url, { method, headers: headers as Record<string, string> });
    const body = new Uint8Array(await answered.arrayBuffer());
    return { status: answered.status, headers: Object.fromEntries(answered.headers), body };
  };
  pair.override = (request) => answer(request);
}

beforeEach(async () => {
  pair = await FollowedOrigin.open();
  await start();
  await pair.origin.registry.upsertLocal([component('a')]);
  await pair.origin.registry.setNetwork(LISTS);
  pair.reader.maxHops = 1;
});

const requests = () =>
  pair.network.exchanges.splice(0).map(({ url, status }) => {
    const { pathname, searchParams } = new URL(url);
    return `${pathname} ${searchParams.get('hops')} ${status}`;
  });
const introduced = async () => (await pair.reader.stored())?.record.introduced;
const within = ({ peers, storage }: NetworkLists, most: number) => ({
  peers: peers.filter(({ hops }) => hops <= most),
  storage: storage.filter(({ hops }) => hops <= most),
});
async function poll(): Promise<string[]> {
  expect(await pair.poll()).toMatchObject({ ok: true });
  return requests();
}

describe('of the lists of a peer, a reader', () => {
  it('asks for what it can use, in whatever it asks', async () => {
    const asked = await poll();
    expect(asked).toContain('/peers 1 200');
    expect(asked).toContain('/storage 1 200');
    expect(asked.every((request) => / 1 /.test(request))).toBe(true);
    expect(await introduced()).toEqual(within(LISTS, 1));
    expect(await poll()).toEqual(['/feed 1 304']);
  });

  it('is told by the feed when they change as far as that, and not when they change behind', async () => {
    await poll();
    await pair.origin.registry.setNetwork(farther);
    expect(await poll()).toEqual(['/feed 1 200']);
    expect(await poll()).toEqual(['/feed 1 304']);
    await pair.origin.registry.setNetwork(nearer);
    expect(await poll()).toEqual(['/feed 1 200', '/peers 1 304', '/storage 1 200']);
    expect(await introduced()).toEqual(within(nearer, 1));
    expect((await pair.following())?.by).toBe('feed');
    expect(await pair.following()).not.toHaveProperty('lastRepair', expect.anything());
  });

  it.each([
    ['nearer', 2],
    ['farther away', 0],
  ])('reads them anew, and without a condition, when the peer is %s', async (_, hops) => {
    await poll();
    pair.reader.maxHops = hops;
    expect(await poll()).toEqual([`/feed ${hops} 304`, `/peers ${hops} 200`, `/storage ${hops} 200`]);
    expect(await introduced()).toEqual(within(LISTS, hops));
    await pair.origin.registry.setNetwork(nearer);
    expect(await poll()).toContain(`/storage ${hops} 200`);
    expect(await introduced()).toEqual(within(nearer, hops));
    // The first page that tells the number of the lists leads to a look at them, if nothing else does.
    expect(await poll()).toEqual([`/feed ${hops} 304`]);
  });

  it('that are read within other hops only in part, reads on where it was interrupted', async () => {
    await poll();
    pair.reader.maxHops = 2;
    pair.override = (request) => (request.url.startsWith('/storage') ? { status: 500 } : answer(request));
    expect(await pair.poll()).toMatchObject({ ok: false });
    pair.override = (request) => answer(request);
    requests();
    expect(await poll()).toEqual(['/feed 2 304', '/peers 2 304', '/storage 2 200']);
    expect(await introduced()).toEqual(within(LISTS, 2));
    expect(await poll()).toEqual(['/feed 2 304']);
  });

  it('looks at them again when the peer has restarted, and is told that they are the same', async () => {
    await poll();
    await pair.origin.registry.setNetwork(farther);
    await poll();
    await start();
    await pair.origin.registry.upsertLocal([component('a'), component('b')]);
    expect(await poll()).toEqual(['/feed 1 200', '/peers 1 304', '/storage 1 304']);
    expect(await introduced()).toEqual(within(LISTS, 1));
  });

  it('asks for all of them where it is a mirror', async () => {
    const mirror = await FollowedOrigin.open({ mode: 'mirror' });
    mirror.reader.maxHops = 1;
    await mirror.poll();
    expect(mirror.network.exchanges.some(({ url }) => url.includes('hops'))).toBe(false);
  });

  it('that read all of them before an update, reads what it wants, and keeps what it has until then', async () => {
    pair.reader.maxHops = undefined;
    await poll();
    expect(await introduced()).toEqual(LISTS);
    pair.reader.maxHops = 1;
    pair.override = (request) => (/^.(peers|storage)/.test(request.url) ? { status: 503 } : answer(request));
    await pair.poll();
    expect(await introduced()).toEqual(LISTS);
    pair.override = (request) => answer(request);
    requests();
    expect(await poll()).toEqual(['/feed 1 304', '/peers 1 200', '/storage 1 200']);
    expect(await introduced()).toEqual(within(LISTS, 1));
  });

  it('of a node that does not know the parameters, asks for everything for a day, and then again for what it can use', async () => {
    const withoutHops = (url: string) => url.replace(/[?&]hops=\d+/, '').replace(/^([^?]*)&/, '$1?');
    pair.override = (request) =>
      request.url.startsWith('/feed') && /kinds|hops/.test(request.url)
        ? { status: 400 }
        : answer({ ...request, url: withoutHops(request.url) });
    await poll();
    expect(await introduced()).toEqual(LISTS);
    await poll();
    expect(await poll()).toEqual(['/feed null 304']);
    await pair.origin.registry.setNetwork(nearer);
    expect(await poll()).toEqual(['/feed null 200', '/peers null 200', '/storage null 200']);
    expect(await introduced()).toEqual(nearer);
    pair.override = (request) => answer(request);
    expect(await poll()).toEqual(['/feed null 304']);
    pair.clock.pass(DAY);
    await poll();
    expect(await introduced()).toEqual(within(nearer, 1));
    expect(await poll()).toEqual(['/feed 1 304']);
    expect(await pair.following()).not.toHaveProperty('lastRepair', expect.anything());
  });
});
