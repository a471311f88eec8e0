import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PodReaders } from '../../src/core/pod-readers.js';
import { compareText } from '../../src/lib/compare-text.js';

const PEERS = ['a', 'b', 'c', 'd', 'e'];
const PODS = ['pod 1', 'pod 2', 'pod 3'];

/** From whom each pod is taken, of all peers. */
function takenFrom(readers: PodReaders): string[] {
  return PODS.flatMap((pod) =>
    PEERS.filter((peer) => !readers.isTakenElsewhere(peer, pod)).map((peer) => `${pod} ${peer}`),
  );
}

describe('of the peers that read a pod', () => {
  it('the two that win are those that it is taken from', () => {
    const readers = new PodReaders(compareText);
    for (const peer of ['d', 'b', 'e', 'c']) readers.follow(peer, new Set(['pod 1']));
    const asked = PEERS.filter((peer) => !readers.isTakenElsewhere(peer, 'pod 1'));
    // What "a" says of itself is not known yet.
    expect(asked).toEqual(['a', 'b', 'c']);
    expect(PEERS.filter((peer) => readers.isTakenElsewhere(peer, 'pod 2'))).toEqual([]);
  });

  it('another one takes the place of one that does not read it any more', () => {
    const readers = new PodReaders(compareText);
    for (const peer of ['a', 'b', 'c']) readers.follow(peer, new Set(['pod 1', 'pod 2']));
    const gone = readers.follow('a', new Set(['pod 2']));
    expect(gone).toEqual({ more: new Map([['c', new Set(['pod 1'])]]), less: new Set(['a']) });
    const back = readers.follow('a', new Set(['pod 1', 'pod 2']));
    expect(back).toEqual({ more: new Map([['a', new Set(['pod 1'])]]), less: new Set(['c']) });
    expect(readers.follow('a', new Set(['pod 1', 'pod 2']))).toEqual({ more: new Map(), less: new Set() });
  });

  it('whom it is taken from follows from what they say last, in whatever order they said it', () => {
    const saying = fc.record({
      peer: fc.constantFrom(...PEERS),
      pods: fc.uniqueArray(fc.constantFrom(...PODS)),
    });
    fc.assert(
      fc.property(fc.array(saying, { maxLength: 20 }), (sayings) => {
        const readers = new PodReaders(compareText);
        const taken = new Set<string>();
        for (const { peer, pods } of sayings) {
          const { more, less } = readers.follow(peer, new Set(pods));
          for (const [one, gained] of more) for (const pod of gained) taken.add(`${pod} ${one}`);
          for (const one of less) {
            for (const pod of PODS) {
              const isNot = readers.isTakenElsewhere(one, pod) || (one === peer && !pods.includes(pod));
              if (isNot) taken.delete(`${pod} ${one}`);
            }
          }
        }
        const last = new Map(sayings.map(({ peer, pods }) => [peer, pods]));
        const fresh = new PodReaders(compareText);
        for (const [peer, pods] of last) fresh.follow(peer, new Set(pods));
        expect(takenFrom(readers)).toEqual(takenFrom(fresh));
        const expected = PODS.flatMap((pod) =>
          PEERS.filter((peer) => last.get(peer)?.includes(pod))
            .slice(0, 2)
            .map((peer) => `${pod} ${peer}`),
        );
        expect([...taken].sort()).toEqual(expected.sort());
      }),
    );
  });
});
