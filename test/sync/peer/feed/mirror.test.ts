import { describe, expect, it } from 'vitest';
import { takenFrom } from '../../../../src/component/provenance.js';
import { LOCAL, type Source } from '../../../../src/component/source.js';
import { NO_NETWORK } from '../../../../src/core/network-lists.js';
import { FollowedOrigin } from '../../../support/peer/followed-origin.js';
import { component } from '../../../support/registry.js';

const A: Source = { kind: 'pod', url: 'https://a.example/' };
const NESTED: Source = { kind: 'pod', url: 'https://a.example/in/' };
const B: Source = { kind: 'pod', url: 'https://b.example/' };
/** In the order of URLs, but not in that of the names which what they say has here. */
const PEERS: Source[] = ['http://p.example', 'http://p:8080'].map((url) => ({ kind: 'peer', url }));

const label = (name: string) => component('x', { label: name });

describe('a mirror that follows a feed', () => {
  /** Whom the origin has configured stands in its lists, too, behind whom it has learned. */
  const configure = async ({ origin }: FollowedOrigin, ...pods: readonly Source[]) => {
    await origin.start({ order: { pods: pods.map(({ url }) => url), peers: [] } });
    const storage = pods.map(({ url }) => ({ url, hops: 0, via: [] }));
    const learned = { url: NESTED.url, hops: 1, via: ['https://x.example'] };
    await origin.registry.setNetwork({ peers: [], storage: [learned, ...storage] });
  };
  const open = async (...pods: readonly Source[]) => {
    const pair = await FollowedOrigin.open({ mode: 'mirror' });
    pair.feed.tellsHops = true;
    await configure(pair, ...pods);
    return pair;
  };
  const served = async (pair: FollowedOrigin) => ({
    origin: (await pair.origin.registry.list()).map((one) => one.label),
    mirror: (await pair.reader.registry.list()).map((one) => one.label),
  });
  async function expectSame(pair: FollowedOrigin): Promise<void> {
    expect(await pair.poll()).toMatchObject({ ok: true });
    const { origin, mirror } = await served(pair);
    expect(mirror).toEqual(origin);
    expect(await pair.taken()).toEqual(await pair.said());
  }

  it('takes everything, under the names that it has there', async () => {
    const pair = await open(A);
    await pair.origin.registry.upsertLocal([component('own')]);
    await pair.say(A, 'https://a.example/1', [label('a')]);
    const [peer] = PEERS as [Source];
    await pair.say(peer, takenFrom(peer.url, LOCAL.url), [component('p')]);
    await expectSame(pair);
    const documents = [...((await pair.reader.stored())?.documents.keys() ?? [])].sort();
    expect(documents).toEqual(
      ['urn:registry:local', 'https://a.example/1', takenFrom(peer.url, LOCAL.url)].sort(),
    );
  });

  it('takes a graph whose name only looks as if it had been taken from a peer', async () => {
    const pair = await open(A);
    const [peer] = PEERS as [Source];
    await pair.say(peer, 'urn:registry:peer:%FF:%E0%A4', [component('p')]);
    await expectSame(pair);
    await pair.say(A, 'https://a.example/1', [label('a')]);
    await expectSame(pair);
  });

  it('of a mirror serves what that serves', async () => {
    const first = await open(A, B);
    await first.say(A, 'https://a.example/1', [label('a')]);
    await first.say(B, 'https://b.example/1', [label('b')]);
    await expectSame(first);
    const second = await FollowedOrigin.of(first.reader, { mode: 'mirror' });
    second.feed.tellsHops = true;
    const compare = async () => {
      // What its upstream lists, a mirror lists, too.
      await first.reader.registry.setNetwork((await first.reader.stored())?.record.introduced ?? NO_NETWORK);
      expect(await second.poll()).toMatchObject({ ok: true });
      const labels = async (pair: FollowedOrigin) =>
        (await pair.reader.registry.list()).map((one) => one.label);
      expect(await labels(second)).toEqual(await labels(first));
    };
    await compare();
    await configure(first, B, A);
    await expectSame(first);
    await compare();
    await first.origin.registry.forget(B);
    await expectSame(first);
    await compare();
    expect(await second.following()).not.toHaveProperty('lastRepair', expect.anything());
  });
});
