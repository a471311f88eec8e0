import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findPodAmong } from '../../src/core/find-pod.js';
import { withoutTrailingSlashes } from '../../src/lib/trailing-slashes.js';
import { processorTime } from '../support/processor-time.js';

const PODS = [
  'https://pod.example/alice/',
  'https://pod.example/d%C3%A9j%c3%a0/',
  'https://pod.example/%7Ecarol/',
];

describe('the pod that speaks for a document', () => {
  it.each([
    ['https://pod.example/alice/', 'https://pod.example/alice/'],
    ['HTTPS://POD.example:443/alice/x', 'https://pod.example/alice/'],
    ['https://pod.example/%61lice/x', 'https://pod.example/alice/'],
    ['https://somebody:secret@pod.example/alice/x', 'https://pod.example/alice/'],
    ['https://pod.example/alice%2Fx', 'https://pod.example/alice/'],
    ['https://pod.example/bob%2f..%2falice%2fx', 'https://pod.example/alice/'],
    ['https://pod.example/d%c3%a9j%C3%A0/x', 'https://pod.example/d%C3%A9j%c3%a0/'],
    ['https://pod.example/~carol/x', 'https://pod.example/%7Ecarol/'],
    ['http://pod.example/alice/x', undefined],
    ['https://pod.example:8443/alice/x', undefined],
    ['https://pod.example/%2561lice/x', undefined],
    // Decoded twice it would be below another pod.
    ['https://pod.example/bob/%252e%252e/alice/x', undefined],
    ['https://pod.example/100%/alice/x', undefined],
    ['urn:registry:local', undefined],
    ['not a URL', undefined],
  ])('of %s is %s', (document, pod) => {
    expect(findPodAmong(PODS)(document)).toBe(pod);
    expect(findPodAmong([])(document)).toBeUndefined();
  });

  it('is found in a time that hardly grows with the pods of a host', () => {
    const host = 'https://host.example';
    const nested = Array.from({ length: 1_000 }, (_, i) => `${host}/deep${'/a'.repeat(i)}/`);
    const wide = Array.from({ length: 10_000 }, (_, i) => `${host}/${i}/`);
    const costOf = (pods: readonly string[]) => {
      const find = findPodAmong(pods);
      const busyMs = processorTime();
      for (let i = 0; i < 10_000; i++) find(`${host}/${i}/doc.ttl`);
      for (let i = 0; i < 4_500; i++) find(`${host}/deep${'/'.repeat(2_000)}${i}`);
      for (let i = 0; i < 4_500; i++) find(`${host}/deep${'/a'.repeat(998)}b/${i}`);
      return busyMs();
    };
    const few = costOf([...nested.slice(-1), ...wide.slice(-1)]);
    // Hardly more when measured; looking through the pods of the host took ten times as long.
    expect(costOf([...nested, ...wide])).toBeLessThan(4 * few);
    const find = findPodAmong(wide);
    expect(wide.filter((pod) => find(`${pod}doc.ttl`) !== pod)).toEqual([]);
  });

  it('may be one of 10 MB of long names: folders of a stranger that could not be read', () => {
    const long = '/a'.repeat(1_000);
    const folders = Array.from({ length: 4_900 }, (_, i) => `https://host.example/${i}${long}/`);
    const busyMs = processorTime();
    const find = findPodAmong(folders);
    expect(folders.filter((folder) => find(`${folder}x.ttl`) !== folder)).toEqual([]);
    // Some 100 ms when measured; a tree of their segments took 4 s, and a gigabyte.
    expect(busyMs()).toBeLessThan(2_000);
  });

  it('is the one that a look at all of them finds', () => {
    const url = fc
      .array(fc.constantFrom('a', 'b', '', 'ab'), { maxLength: 4 })
      .map((segments) => ['https://h.example', ...segments].join('/'));
    const some = fc.uniqueArray(url, { selector: withoutTrailingSlashes, maxLength: 8 });
    fc.assert(
      fc.property(some, url, (pods, document) => {
        const around = pods.filter((pod) => `${document}/`.startsWith(`${withoutTrailingSlashes(pod)}/`));
        const longest = Math.max(...around.map((pod) => withoutTrailingSlashes(pod).length));
        const innermost = around.find((pod) => withoutTrailingSlashes(pod).length === longest);
        expect(findPodAmong(pods)(document)).toBe(innermost);
      }),
    );
  });
});
