import { describe, expect, it } from 'vitest';
import { takenFrom } from '../../src/component/provenance.js';
import { compareVersions, versionGroup } from '../../src/component/versions.js';

describe('the group of versions that a description belongs to', () => {
  const group = (document: string, label = 'Card') => versionGroup(label, document);
  const PEER = 'https://peer.example';

  it.each([
    ['one document', 'https://pod.example/a/x.ttl', 'https://pod.example/a/x.ttl'],
    ['one container', 'https://pod.example/a/x.ttl', 'https://pod.example/a/y.ttl'],
    ['what was posted to the node', 'urn:registry:local', 'urn:registry:local'],
    [
      'one container, as a peer reads it',
      takenFrom(PEER, 'https://pod.example/a/x.ttl'),
      takenFrom(PEER, 'https://pod.example/a/y.ttl'),
    ],
    [
      'what was posted to a peer',
      takenFrom(PEER, 'urn:registry:local'),
      takenFrom(PEER, 'urn:registry:local'),
    ],
  ])('is that of others in %s', (_, one, other) => {
    expect(group(one)).toBe(group(other));
    expect(group(one)).not.toBe(group(other, 'Other'));
  });

  it.each([
    ['containers', 'https://pod.example/a/x.ttl', 'https://pod.example/b/x.ttl'],
    ['hosts', 'https://one.example/x.ttl', 'https://two.example/x.ttl'],
    ['nodes', takenFrom('https://one.example', 'urn:registry:local'), takenFrom(PEER, 'urn:registry:local')],
    ['a node and its peer', 'urn:registry:local', takenFrom(PEER, 'urn:registry:local')],
  ])('is not that of the same label in other %s', (_, one, other) => {
    expect(group(one)).not.toBe(group(other));
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
