import { beforeEach, describe, expect, it } from 'vitest';
import { FollowedOrigin } from '../../support/followed-origin.js';
import { component } from '../../support/registry.js';

const ANN = { kind: 'pod', url: 'https://ann.example/c/' } as const;
const BEN = { kind: 'pod', url: 'https://ben.example/c/' } as const;
const lists = (...pods: { url: string }[]) => ({
  peers: [],
  storage: pods.map(({ url }) => ({ url, hops: 0, via: [] })),
});

describe('the line to a peer tells', () => {
  let pair: FollowedOrigin;
  beforeEach(async () => {
    pair = await FollowedOrigin.open();
    await pair.origin.registry.upsertLocal([component('own')]);
    await pair.say(ANN, `${ANN.url}doc`, [component('ann')]);
    await pair.origin.registry.setNetwork(lists(ANN));
  });

  it('of pods while there is one that is not read here, and then of the peer alone', async () => {
    await pair.poll();
    expect(await pair.reader.streamScope()).toBe('local,pod');
    pair.reader.pods = [ANN.url];
    await pair.poll();
    expect(await pair.reader.streamScope()).toBe('local');
    await pair.say(BEN, `${BEN.url}doc`, [component('ben')]);
    await pair.poll();
    expect(await pair.reader.streamScope()).toBe('local,pod');
  });

  it('of a pod that the peer lists and could not read yet', async () => {
    pair.reader.pods = [ANN.url];
    await pair.origin.registry.setNetwork(lists(ANN, BEN));
    await pair.poll();
    expect(await pair.reader.streamScope()).toBe('local,pod');
  });

  it('a mirror of everything', async () => {
    pair.reader.options = { mode: 'mirror' };
    await pair.reader.restart();
    await pair.poll();
    expect(await pair.reader.streamScope()).toBeUndefined();
  });
});
