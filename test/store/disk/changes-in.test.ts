import { expect, test } from 'vitest';
import type { Source, SourceKind } from '../../../src/component/source.js';
import type { ChangesRequest, StatementChange } from '../../../src/registry/changes.js';
import { NO_FEED } from '../../../src/registry/feed.js';
import { ChangeOrder } from '../../../src/store/disk/changes/change-order.js';
import { changesIn } from '../../../src/store/disk/changes/changes-in.js';
import { Tombstones } from '../../../src/store/disk/changes/tombstones.js';
import type { Entry } from '../../../src/store/disk/listing/entry.js';

const NOWHERE = { epoch: '', number: 0, since: 0 };
const STATE = { revision: NOWHERE, networkRevision: NOWHERE, components: 0, feed: NO_FEED };
const OTHERS = 12_000;

function removal(position: number, kind: SourceKind): StatementChange {
  const source: Source = { kind, url: `https://${kind}.example/` };
  return { position, at: 0, rank: 0, source, document: source.url, uri: `https://c.example/${position}.js` };
}

/** Changes of others, with one that is asked for in the middle and one at the end. */
function log() {
  const tombstones = new Tombstones();
  for (let position = 1; position <= OTHERS; position++) {
    tombstones.add(removal(position, position === OTHERS / 2 || position === OTHERS ? 'local' : 'peer'));
  }
  return { entries: new ChangeOrder<Entry>(), tombstones };
}

/** All that is asked for, and how many times was asked. */
function askedOn(request: Pick<ChangesRequest, 'kinds' | 'source' | 'uri' | 'limit'>) {
  const told = { log: log(), statements: () => [] };
  const positions: number[] = [];
  let times = 0;
  for (let after: number | undefined = 0; after !== undefined; times += 1) {
    const { changes, next } = changesIn(told, STATE, { ...request, after, removals: true });
    expect(next === undefined || next > after).toBe(true);
    positions.push(...changes.map(({ position }) => position));
    after = next;
  }
  return { positions, times };
}

test.each<[string, Pick<ChangesRequest, 'kinds' | 'source' | 'uri'>]>([
  ['of some kinds', { kinds: ['local'] }],
  ['of one source', { source: { kind: 'local', url: 'https://local.example/' } }],
])('changes %s among very many others are found bit by bit', (_, request) => {
  const { positions, times } = askedOn({ ...request, limit: 50 });
  expect(positions).toEqual([OTHERS / 2, OTHERS]);
  expect(times).toBe(3);
});

test('removals of one component are found among very many of others', () => {
  const { positions, times } = askedOn({ uri: 'https://c.example/9000.js', limit: 50 });
  expect([positions, times]).toEqual([[9000], 3]);
});

test('no more than what is asked for is handed out at a time, and nothing is lost between', () => {
  const { positions } = askedOn({ limit: 1000 });
  expect(positions).toEqual(Array.from({ length: OTHERS }, (_, i) => i + 1));
  expect(askedOn({ kinds: ['local'], limit: 1 }).positions).toEqual([OTHERS / 2, OTHERS]);
});
