import { expect, it } from 'vitest';
import type { Source } from '../../src/component/source.js';
import { NO_NETWORK } from '../../src/core/network-lists.js';
import { precedenceOf } from '../../src/core/precedence.js';
import type { SourceRecord } from '../../src/core/source-record.js';
import { sourceStatuses } from '../../src/explain/source-status.js';

it('tells nothing of a record that only an earlier version understood', () => {
  const source: Source = { kind: 'pod', url: 'https://pod.example/' };
  const relay = { verified: 1, date: 2, from: 'https://peer.example' };
  const record: SourceRecord = JSON.parse(
    JSON.stringify({ failures: 0, lastSuccess: 3, lastAttempt: 2, observed: 4, relay }),
  );
  const stored = [{ source, record, documents: new Map() }];
  const [status] = sourceStatuses(stored, NO_NETWORK, precedenceOf({ pods: [], peers: [] }), []);
  expect(status).toEqual({
    ...source,
    ...{ failures: 0, lastAttempt: 2, lastSuccess: 3, state: 'ok', configured: false, hops: 0, via: [] },
    ...{ components: 0, documents: 0, invalid: [], failing: [] },
  });
});

it.each([
  ['left out', { omitted: 3, firstOmitted: 9 }, 3],
  ['stored as it was, because its news have no room', { firstOmitted: 9 }, 1],
])('tells that a source is limited where something is %s', (_, known, components) => {
  const source: Source = { kind: 'pod', url: 'https://pod.example/' };
  const documents = new Map([['d', { components: 2, ...known }]]);
  const stored = [{ source, record: { failures: 0, lastSuccess: 3 }, documents }];
  const [status] = sourceStatuses(stored, NO_NETWORK, precedenceOf({ pods: [], peers: [] }), []);
  expect(status).toMatchObject({ state: 'limited', omitted: { components } });
});
