import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LOCAL, precedenceOf, type Source, sourceKey, sourceOfKey } from '../../src/component/precedence.js';

const pod = (url: string): Source => ({ kind: 'pod', url });
const peer = (url: string): Source => ({ kind: 'peer', url });
const precedence = precedenceOf({
  pods: ['https://z.example/', 'https://b.example/'],
  peers: ['https://y.example'],
});

const ranking: Source[] = [
  pod('https://z.example/'),
  pod('https://b.example/'),
  LOCAL,
  pod('https://a.example/'),
  pod('https://c.example/'),
  peer('https://y.example'),
  peer('https://a.example'),
  peer('https://b.example'),
];

describe('precedence', () => {
  it('is that of the design, in whatever order the sources arrive', () => {
    fc.assert(
      fc.property(fc.shuffledSubarray(ranking, { minLength: ranking.length }), (shuffled) => {
        expect([...shuffled].sort(precedence.compare)).toEqual(ranking);
      }),
    );
  });

  it('knows what is configured', () => {
    expect(ranking.filter(precedence.isConfigured)).toEqual([ranking[0], ranking[1], LOCAL, ranking[5]]);
  });

  it('counts a source that is written twice where it stands first', () => {
    const { compare } = precedenceOf({
      pods: ['https://a.example/', 'https://b.example/', 'https://a.example/'],
      peers: [],
    });
    expect(compare(pod('https://a.example/'), pod('https://b.example/'))).toBeLessThan(0);
  });
});

describe('the key of a source', () => {
  it('tells a pod and a peer of the same URL apart, and can be read back', () => {
    expect(sourceKey(pod('https://a.example'))).not.toBe(sourceKey(peer('https://a.example')));
    for (const source of ranking) expect(sourceOfKey(sourceKey(source))).toEqual(source);
  });
});
