import { describe, expect, it } from 'vitest';
import { coverageOf } from '../../src/sync/coverage.js';

const PODS = [
  'https://pod.example/alice/',
  'https://doc.example/card.ttl',
  'https://whole.example',
  'https://bare.example/bob',
];

describe('the pods that a node reads itself', () => {
  it.each([
    ['https://pod.example/alice/', 'https://pod.example/alice/'],
    ['https://pod.example/alice/deep/down/x.ttl', 'https://pod.example/alice/'],
    ['HTTPS://POD.example:443/alice/x', 'https://pod.example/alice/'],
    ['https://doc.example/card.ttl', 'https://doc.example/card.ttl'],
    ['https://whole.example/anything', 'https://whole.example'],
    ['https://bare.example/bob/x', 'https://bare.example/bob'],
  ])('cover %s', (document, pod) => {
    expect(coverageOf(PODS)(document)).toBe(pod);
  });

  it.each([
    'https://pod.example/',
    'https://pod.example/alicia/x',
    'https://pod.example/alice.ttl',
    'http://pod.example/alice/x',
    'https://pod.example:8443/alice/x',
    'https://doc.example/other.ttl',
    'https://bare.example/bobby',
    'urn:registry:local',
    'not a URL',
  ])('do not cover %s', (document) => {
    expect(coverageOf(PODS)(document)).toBeUndefined();
  });

  it('is found out in a time that grows with the length of a URL alone', () => {
    const coverage = coverageOf(PODS);
    const started = performance.now();
    for (let i = 0; i < 4500; i++) coverage(`https://pod.example/alice/${'/'.repeat(2000)}${i}`);
    // Some 100 ms when measured; looking each beginning up took a minute.
    expect(performance.now() - started).toBeLessThan(5000);
  });
});
