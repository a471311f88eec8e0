import { expect, it } from 'vitest';
import type { Verdict } from '../../src/core/judge.js';
import { type PollEnd, recordAfter } from '../../src/core/poll-end.js';
import type { SourceRecord } from '../../src/core/source-record.js';

const [BEGAN, ENDED, NEXT] = [1000, 1200, 9000];
const SHRINK = { since: 5, polls: 1, from: 100, to: 1 };
const verdict = (more: Partial<Verdict> = {}): Verdict => ({
  ...{ documents: [], dropped: [], expected: new Map(), unread: 0, refused: undefined },
  shrink: undefined,
  ...more,
});
const after = (before: Partial<SourceRecord>, end: Partial<PollEnd>) =>
  recordAfter(
    { failures: 0, ...before },
    { began: BEGAN, ended: ENDED, planned: { due: NEXT, notBefore: 0 }, ...end },
  );
const down = { failure: { message: 'down' } };
const WRONG = { disagrees: true };
const OLD = { memo: { etag: '"1"' } };
const NEWS = { memo: { etag: '"2"' }, following: { by: 'feed', since: 7 } } as const;

const READ = { lastSuccess: ENDED, lastAttempt: BEGAN };
const FAILED = { failures: 1, failingSince: BEGAN, error: 'down' };
const FAILING = { failures: 2, failingSince: 3, error: 'down', disagrees: true, unread: 2 };
const FORGOTTEN = Object.fromEntries(Object.keys(FAILING).map((name) => [name, undefined]));
const REFUSED = { refused: { a: ['b'] } };
const HELD = { shrink: SHRINK };
const HOLDING = { memo: NEWS, verdict: verdict(HELD) };

it.each<[what: string, before: Partial<SourceRecord>, end: Partial<PollEnd>, after: Partial<SourceRecord>]>([
  ['begins with its first success', {}, {}, { firstSuccess: ENDED, ...READ }],
  ['keeps when it was read first', { firstSuccess: 1, lastSuccess: 2 }, {}, { firstSuccess: 1, ...READ }],
  ['tells when it is polled next', {}, {}, { nextAttempt: NEXT }],
  ['keeps its last success when it fails', { lastSuccess: 2 }, down, { lastSuccess: 2, firstSuccess: 2 }],
  ['has no success when it fails at first', {}, down, { lastSuccess: undefined, firstSuccess: undefined }],
  ['fails since the poll began', {}, down, FAILED],
  ['fails since it failed first', { failures: 1, failingSince: 3 }, down, { failures: 2, failingSince: 3 }],
  ['forgets its failures with a success', FAILING, { verdict: verdict() }, { ...FORGOTTEN, failures: 0 }],
  ['waits for its server', {}, { planned: { due: NEXT, notBefore: NEXT } }, { notBefore: NEXT }],
  ['waits for nobody who has not asked', { notBefore: 5 }, down, { notBefore: undefined }],
  ['is unreliable from its third failure', { failures: 2 }, down, { unreliableAt: ENDED }],
  ['is not so before', { failures: 1 }, down, { unreliableAt: undefined }],
  ['has been so once it is read again', { failures: 3, unreliableAt: 4 }, {}, { unreliableAt: 4 }],
  ['is not so for longer than an hour', { unreliableAt: ENDED - 3_600_000 }, {}, { unreliableAt: undefined }],
  ['tells what was not read', {}, { verdict: verdict({ unread: 3 }) }, { unread: 3 }],
  ['keeps what is refused when nothing is stored', REFUSED, down, REFUSED],
  ['tells what is refused', REFUSED, { verdict: verdict({ refused: {} }) }, { refused: {} }],
  ['remembers what its reader wants to find again', OLD, { memo: NEWS }, NEWS],
  ['keeps that when its reader says nothing of it', NEWS, {}, NEWS],
  ['forgets that when it disagrees', NEWS, { ...down, ...WRONG }, { ...NEWS, ...WRONG, memo: undefined }],
  ['reads the same again while removals wait', OLD, HOLDING, { ...HELD, ...OLD }],
  ['keeps removals pending when it fails', HELD, { ...down, verdict: verdict() }, HELD],
  ['has none pending once they are back', HELD, { verdict: verdict() }, { shrink: undefined }],
])('a source %s', (_, before, end, expected) => {
  expect(after(before, end)).toMatchObject(expected);
});
