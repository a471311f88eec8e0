import { expect, it } from 'vitest';
import type { Source } from '../../../src/component/source.js';
import { NO_NETWORK } from '../../../src/core/network-lists.js';
import { FollowedOrigin } from '../../support/peer/followed-origin.js';
import { component } from '../../support/registry.js';

const A: Source = { kind: 'pod', url: 'https://a.example/' };
const B: Source = { kind: 'pod', url: 'https://b.example/' };
const label = (name: string) => component('x', { label: name });

/** Whom the origin has configured stands in its lists, too, behind whom it has learned. */
async function configure(pair: FollowedOrigin, ...pods: readonly Source[]): Promise<void> {
  await pair.configure(pods.map(({ url }) => url));
  const storage = pods.map(({ url }) => ({ url, hops: 0, via: [] }));
  const learned = { url: 'https://a.example/in/', hops: 1, via: ['https://x.example'] };
  await pair.origin.setNetwork({ peers: [], storage: [learned, ...storage] });
}

async function open(): Promise<FollowedOrigin> {
  const pair = await FollowedOrigin.open();
  pair.restart('mirror');
  await configure(pair, A, B);
  return pair;
}

async function expectSame(pair: FollowedOrigin): Promise<void> {
  expect(await pair.poll()).toMatchObject({ ok: true });
  expect(await pair.registry.labels()).toEqual(await pair.origin.labels());
}

it('a mirror of a mirror serves what that serves, in the order that the origin has by now', async () => {
  const first = await open();
  await first.say(A, 'https://a.example/1', [label('a')]);
  await first.say(B, 'https://b.example/1', [label('b')]);
  const second = await FollowedOrigin.open(first.registry);
  second.restart('mirror');
  const compare = async () => {
    await expectSame(first);
    // What its upstream lists, a mirror lists, too.
    await first.registry.setNetwork((await first.stored())?.record.introduced ?? NO_NETWORK);
    await expectSame(second);
  };
  await compare();
  await configure(first, B, A);
  await compare();
  await first.origin.forget(B);
  await compare();
});
