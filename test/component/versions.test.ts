import { describe, expect, it } from 'vitest';
import { takenFrom } from '../../src/component/provenance.js';
import { LOCAL, type Source } from '../../src/component/source.js';
import { compareVersions, versionGroup } from '../../src/component/versions.js';

const POD: Source = { kind: 'pod', url: 'https://pod.example/' };
const PEER: Source = { kind: 'peer', url: 'https://peer.example' };
const OTHER: Source = { kind: 'peer', url: 'https://other.example' };

describe('the group of versions that a description belongs to', () => {
  const group = (source: Source, document: string, uri = 'https://ann.example/1.js', label = 'Card') =>
    versionGroup({ uri, label }, { source, document });
  const read = (path: string) => group(POD, `https://pod.example/${path}`);
  const relayed = (peer: Source, graph: string, uri?: string) => group(peer, takenFrom(peer.url, graph), uri);
  const posted = (uri?: string) => group(LOCAL, LOCAL.url, uri);

  it.each([
    ['one document', read('a/x.ttl'), group(POD, 'https://pod.example/a/x.ttl', 'https://cdn.example/2.js')],
    ['one container', read('a/x.ttl'), read('a/y.ttl')],
    ['posts of one origin', posted('https://ann.example/1.js'), posted('https://ann.example/v2/2.js')],
    [
      'posts of one package',
      posted('https://cdn.example/npm/@ann/card@1.0.0/card.js'),
      posted('https://cdn.example/npm/@ann/card@2.0.0/dist/card.js'),
    ],
    [
      'one container, as a peer reads it',
      relayed(PEER, 'https://pod.example/a/x.ttl'),
      relayed(PEER, 'https://pod.example/a/y.ttl'),
    ],
  ])('is that of others in %s', (_, one, other) => {
    expect(one).toBe(other);
  });

  it.each([
    ['labels', read('a/x.ttl'), group(POD, 'https://pod.example/a/x.ttl', undefined, 'Other')],
    ['containers', read('a/x.ttl'), read('b/x.ttl')],
    ['pods', read('x.ttl'), group({ kind: 'pod', url: 'https://two.example/' }, 'https://two.example/x.ttl')],
    ['nodes', relayed(OTHER, LOCAL.url), relayed(PEER, LOCAL.url)],
    ['sources: what was posted here, and to a peer', posted(), relayed(PEER, LOCAL.url)],
    ['sources: a pod, and what was posted', read('x.ttl'), posted()],
    ['origins, where both were posted', posted(), posted('https://stranger.example/1.js')],
    [
      'packages, where both were posted',
      posted('https://cdn.example/npm/@ann/card@1.0.0/card.js'),
      posted('https://cdn.example/npm/card@9.9.9/card.js'),
    ],
  ])('is not that of other %s', (_, one, other) => {
    expect(one).not.toBe(other);
  });
});

describe('the order of versions', () => {
  it('is that of semantic versions, and others come before all of these', () => {
    const versions = ['10.0.0', '2.0.0', '2.0.0-beta.1', 'spring', undefined, '1.9.9'];
    expect(versions.sort(compareVersions)).toEqual([
      'spring',
      '1.9.9',
      '2.0.0-beta.1',
      '2.0.0',
      '10.0.0',
      undefined,
    ]);
    expect(compareVersions(undefined, '0.0.1')).toBeLessThan(0);
  });
});
