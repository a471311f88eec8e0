import { expect, it } from 'vitest';
import type { DocumentRecord } from '../../../src/core/document-record.js';
import { newlyRefused } from '../../../src/sync/schedule/poll-writer.js';
import { SchedulerRig } from '../../support/scheduler-rig.js';

const URL = 'https://pod.example/a.ttl';
const INVALID = [
  { subject: 'https://c.example/a.js', reasons: ['label must not be empty'] },
  { subject: 'https://c.example/b.js', reasons: ['label must not be empty'] },
];
const news = (record: DocumentRecord | null, before?: DocumentRecord) =>
  newlyRefused(before && new Map([[URL, { ...before, components: 1 }]]), [{ url: URL, record }]);

it('counts what has become unusable, and not what is known to be so', () => {
  expect(news({})).toBe(0);
  expect(news(null, { invalid: INVALID })).toBe(0);
  expect(news({ invalid: INVALID })).toBe(2);
  expect(news({ invalid: INVALID }, { invalid: INVALID })).toBe(0);
  expect(news({ invalid: INVALID.slice(1) }, { invalid: INVALID })).toBe(1);
  expect(news({ unreadable: 'line 7' })).toBe(1);
  expect(news({ unreadable: 'line 7', error: 'line 7' }, { unreadable: 'line 7' })).toBe(0);
  expect(news({ unreadable: 'line 9' }, { unreadable: 'line 7' })).toBe(1);
});

it('is in the report of the poll', async () => {
  const rig = await SchedulerRig.open();
  rig.a.result = { documents: [{ url: URL, components: [], record: { invalid: INVALID } }] };
  await rig.scheduler.setSources([rig.a]);
  await rig.scheduler.pollNow();
  await rig.scheduler.pollNow();
  expect(rig.reports.map(({ refused }) => refused)).toEqual([2, undefined]);
});
