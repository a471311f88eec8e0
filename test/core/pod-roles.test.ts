import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sourceOfKey } from '../../src/component/source.js';
import * as podRoles from '../../src/core/pod-roles.js';
import type { SourceRecord } from '../../src/core/source-record.js';
import { atOnce } from '../support/discovered.js';

const [POD, NEAR] = ['https://far.example/', 'https://near.example/'];
const [KEY, NEAR_KEY] = [`pod ${POD}`, `pod ${NEAR}`];

/** Peers: one `gives` what the pod says, `waits` to be asked, or is `strange` to it; `!` keeps failing. */
function peers(text: string): podRoles.KnownPeer[] {
  return text.split(' ').map((kind, place) => ({
    ...{ url: `${place}`, isReliable: !kind.endsWith('!') },
    reads: new Set(kind.startsWith('strange') ? [] : [KEY]),
    refused: kind.startsWith('gives') ? {} : { [KEY]: [POD] },
  }));
}
/** The places of those from which the pod is taken. */
function takers(text: string): number[] {
  const { isFromOthers } = atOnce(podRoles.podRoles({ pods: [], peers: peers(text) }));
  return peers(text).flatMap(({ url }, place) => (isFromOthers(url, KEY) ? [] : place));
}

test.each<[what: string, peers: string, takers: number[]]>([
  ['the first that reads it', 'gives waits waits', [0]],
  ['the first, and not from others that gave it before', 'gives gives gives', [0]],
  ['the one that gave it, too, until the first one has', 'waits gives waits', [0, 1]],
  ['the first that reads it, of which nobody knows that others do', 'strange gives', [0, 1]],
  ['nobody behind that who is not known to read it', 'gives strange', [0]],
  ['the next one where the first keeps failing', 'waits! waits', [1]],
  ['the one that failed, too, until the next one has given it', 'gives! waits', [0, 1]],
  ['the next one alone, once it has given what one that fails gave', 'gives! gives', [1]],
  ['all, where all of them fail: what they said stays', 'gives! gives!', [0, 1]],
  ['whoever has it, where nobody is known to read it', 'strange strange', [0, 1]],
])('a pod that this node does not read is taken from %s', (_, peers, expected) => {
  expect(takers(peers)).toEqual(expected);
});

test('it is taken from one at least, and in the end from the first reliable one alone', () => {
  const kind = fc.constantFrom('gives', 'waits', 'strange', 'gives!', 'waits!', 'strange!');
  fc.assert(
    fc.property(fc.array(kind, { minLength: 1, maxLength: 5 }), (all) => {
      const now = takers(all.join(' '));
      expect(now).not.toEqual([]);
      const isReader = (place: number) => !all[place]?.startsWith('strange');
      // Once each has given what is taken of it, and the others nothing.
      const later = all.map((kind, place) => {
        const given = now.includes(place) ? 'gives' : 'waits';
        return isReader(place) ? kind.replace(/gives|waits/, given) : kind;
      });
      const first = all.findIndex((kind, place) => isReader(place) && !kind.endsWith('!'));
      if (first >= 0) expect(takers(later.join(' ')).filter(isReader)).toEqual([first]);
    }),
  );
});

test.each<[what: string, kind: string, pods: string[], again: string[], noMore: string[]]>([
  ['for what was refused and is taken now', 'waits', [], [POD], []],
  ['not for what this node reads itself', 'waits', [POD], [], []],
  ['to drop what this node reads itself', 'gives', [POD], [], [POD]],
  ['not where it gives what is taken', 'gives', [], [], []],
])('a peer is asked again %s', (_, kind, pods, again, noMore) => {
  const [one] = peers(kind) as [podRoles.KnownPeer];
  const { isFromOthers, read } = atOnce(podRoles.podRoles({ pods, peers: [one] }));
  const rules = { read, isFromOthers: (of: string) => isFromOthers('0', of) };
  expect([podRoles.takenAgain(one, rules), podRoles.takenNoMore(one, rules)]).toEqual([again, noMore]);
});

test('a peer is not asked again for what is taken from another', () => {
  const rules = { read: () => undefined, isFromOthers: (of: string) => of === KEY };
  expect(podRoles.takenAgain({ refused: { [KEY]: [POD] } }, rules)).toEqual([]);
});

const NOW = 1e9;
/** What the records of sources tell, of peers a to d, of which c is configured. */
function known(records: Readonly<Record<string, SourceRecord>>) {
  const read = ['peer d', 'peer c', KEY, 'peer b', NEAR_KEY, 'peer a'].map(sourceOfKey);
  const stored = Object.entries(records).map(([key, record]) => {
    return { source: sourceOfKey(key), record, documents: new Map() };
  });
  const podsReadBy = (record?: SourceRecord) => new Set(record?.memo ? [KEY] : []);
  return atOnce(podRoles.knownSources(read, stored, { peers: [{ url: 'c' }], podsReadBy, now: NOW }));
}

test('known are the pods that were read with success, and who reads which, in the order of precedence', () => {
  const refused = { [KEY]: [POD] };
  const { pods, peers } = known({
    [KEY]: { failures: 9, lastSuccess: 1 },
    [NEAR_KEY]: { failures: 0 },
    'peer a': { failures: 0, memo: {}, refused },
  });
  expect(pods).toEqual([POD]);
  expect(peers.map(({ url }) => url)).toEqual(['c', 'a', 'b', 'd']);
  expect(peers[0]).toEqual({ url: 'c', reads: new Set(), refused: {}, isReliable: true });
  expect(peers[1]).toEqual({ url: 'a', reads: new Set([KEY]), refused, isReliable: true });
});

test.each<[SourceRecord, isReliable: boolean]>([
  [{ failures: 2 }, true],
  [{ failures: 3 }, false],
  [{ failures: 0, unreliableAt: NOW - 3_599_999 }, false],
  [{ failures: 0, unreliableAt: NOW - 3_600_000 }, true],
])('a peer is relied on that has not kept failing within an hour: %o: %s', (record, isReliable) => {
  expect(known({ 'peer c': record }).peers[0]?.isReliable).toBe(isReliable);
});

test('each address because of which something is not stored is named once', () => {
  expect(podRoles.skippedIn({ refused: { x: ['b', 'a'], y: ['b'] } })).toEqual(['a', 'b']);
  expect(podRoles.skippedIn({})).toEqual([]);
});
