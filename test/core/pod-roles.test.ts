import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { sourceOfKey } from '../../src/component/source.js';
import {
  type KnownPeer,
  knownSources,
  podRoles,
  skippedIn,
  takenAgain,
  takenNoMore,
} from '../../src/core/pod-roles.js';
import type { SourceRecord } from '../../src/core/source-record.js';

const POD = 'https://far.example/';
const KEY = `pod ${POD}`;

interface Said {
  readonly reads?: boolean;
  readonly gives?: boolean;
  readonly isReliable?: boolean;
}

/** A peer that reads the pod, and gives it, unless something else is said. */
function peer(url: string, { reads = true, gives = reads, isReliable = true }: Said = {}): KnownPeer {
  return {
    ...{ url, isReliable, reads: new Set(reads ? [KEY] : []) },
    refused: gives ? {} : { [KEY]: [POD] },
  };
}
/** From which of some peers the pod is taken. */
const takers = (...peers: KnownPeer[]) => {
  const roles = podRoles({ pods: [], peers });
  return peers.map(({ url }) => url).filter((url) => !roles.isFromOthers(url, KEY));
};
const waiting: Said = { gives: false };
const strange: Said = { reads: false, gives: false };
const failing: Said = { isReliable: false };

describe('a pod that this node does not read is taken from', () => {
  test.each<[what: string, Said[], string[]]>([
    ['the first that reads it', [{}, waiting, waiting], ['0']],
    ['the first, and not from others that gave it before', [{}, {}, {}], ['0']],
    ['the one that gave it, too, until the first one has', [waiting, {}, waiting], ['0', '1']],
    ['the first that reads it, of which nobody knows that others do', [strange, {}], ['0', '1']],
    ['the next one where the first keeps failing', [{ ...failing, ...waiting }, waiting], ['1']],
    ['the one that failed, too, until the next one has given it', [failing, waiting], ['0', '1']],
    ['the next one alone, once it has given what one that fails gave', [failing, {}], ['1']],
    ['all, where all of them fail: what they said stays', [failing, failing], ['0', '1']],
    ['whoever has it, where nobody is known to read it', [strange, strange], ['0', '1']],
  ])('%s', (_what, said, expected) => {
    expect(takers(...said.map((one, i) => peer(`${i}`, one)))).toEqual(expected);
  });

  it('one at least, whoever reads, gives and fails', () => {
    const said = fc.record({ reads: fc.boolean(), gives: fc.boolean(), isReliable: fc.boolean() });
    fc.assert(
      fc.property(fc.array(said, { minLength: 1, maxLength: 5 }), (all) => {
        const peers = all.map((one, i) => peer(`${i}`, { ...one, gives: one.reads && one.gives }));
        expect(takers(...peers).length).toBeGreaterThan(0);
        // Once each has given what is taken of it, and the others nothing, there is one of those that are reliable.
        const reliable = all.flatMap(({ reads, isReliable }, i) => (reads && isReliable ? [`${i}`] : []));
        const taken = takers(...peers);
        const later = peers.map((one) =>
          peer(one.url, {
            ...one,
            reads: one.reads.has(KEY),
            gives: taken.includes(one.url) && one.reads.has(KEY),
          }),
        );
        const readers = takers(...later).filter((url) =>
          later.some((one) => one.url === url && one.reads.has(KEY)),
        );
        if (reliable.length > 0) expect(readers).toEqual([reliable[0]]);
      }),
    );
  });
});

describe('a peer is asked again', () => {
  test.each<[what: string, Said, pods: string[], again: string[], noMore: string[]]>([
    ['for what was refused and is taken now', waiting, [], [POD], []],
    ['not for what this node reads itself', waiting, [POD], [], []],
    ['to drop what this node reads itself', {}, [POD], [], [POD]],
    ['not where it gives what is taken', {}, [], [], []],
  ])('%s', (_what, said, pods, again, noMore) => {
    const one = peer('0', said);
    const { isFromOthers, read } = podRoles({ pods, peers: [one] });
    const rules = { read, isFromOthers: (of: string) => isFromOthers('0', of) };
    expect([takenAgain(one, rules), takenNoMore(one, rules)]).toEqual([again, noMore]);
  });
});

describe('what the records of sources tell', () => {
  const NOW = 1e9;
  const HOUR = 3_600_000;
  const source = (kind: 'pod' | 'peer', url: string) => ({ kind, url });
  const [A, B, C] = ['https://a.example', 'https://b.example', 'https://c.example'] as const;
  const read = [
    source('peer', C),
    source('pod', POD),
    source('peer', B),
    source('pod', A),
    source('peer', A),
  ];
  const known = (records: Record<string, SourceRecord>) =>
    knownSources(
      read,
      Object.entries(records).map(([key, record]) => ({
        source: sourceOfKey(key),
        record,
        documents: new Map(),
      })),
      { peers: [{ url: C }], podsReadBy: (record) => new Set(record?.memo ? [KEY] : []), now: NOW },
    );

  test('is which pods were read with success, and who reads which, in the order of precedence', () => {
    const { pods, peers } = known({
      [KEY]: { failures: 9, lastSuccess: 1 },
      [`pod ${A}`]: { failures: 0 },
      [`peer ${A}`]: { failures: 0, memo: {}, refused: { [KEY]: [POD] } },
    });
    expect(pods).toEqual([POD]);
    expect(peers).toEqual([
      { url: C, reads: new Set(), refused: {}, isReliable: true },
      { url: A, reads: new Set([KEY]), refused: { [KEY]: [POD] }, isReliable: true },
      { url: B, reads: new Set(), refused: {}, isReliable: true },
    ]);
  });

  test.each<[SourceRecord, boolean]>([
    [{ failures: 2 }, true],
    [{ failures: 3 }, false],
    [{ failures: 0, unreliableAt: NOW - HOUR + 1 }, false],
    [{ failures: 0, unreliableAt: NOW - HOUR }, true],
  ])('is whether a peer is relied on: %o: %s', (record, isReliable) => {
    expect(known({ [`peer ${C}`]: record }).peers[0]?.isReliable).toBe(isReliable);
  });

  test('is because of which addresses something is not stored, each once', () => {
    expect(skippedIn({ refused: { x: ['b', 'a'], y: ['b'] } })).toEqual(['a', 'b']);
    expect(skippedIn({})).toEqual([]);
  });
});
