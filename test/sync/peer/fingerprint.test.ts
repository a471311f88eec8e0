import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { fingerprintOf } from '../../../src/sync/peer/peer-request.js';

const DATE = 'Sun, 22 Nov 2026 10:00:00 GMT';
const LATER = 'Sun, 22 Nov 2026 10:00:01 GMT';
const BODY = new TextEncoder().encode('body');
const hash = createHash('sha256').update(BODY).digest('base64url');

it.each<[what: string, headers: Record<string, string>, mark: object]>([
  ['a tag', { etag: '"1"', 'last-modified': DATE, date: LATER }, { etag: '"1"' }],
  ['a tag that is too long to keep', { etag: `"${'1'.repeat(512)}"` }, { hash }],
  ['a date', { 'last-modified': DATE, date: LATER }, { lastModified: DATE, hash }],
  ['the second of the answer, in which it may change again', { 'last-modified': DATE, date: DATE }, { hash }],
  ['a date after the answer', { 'last-modified': LATER, date: DATE }, { hash }],
  ['a date that cannot be read', { 'last-modified': 'yesterday', date: DATE }, { hash }],
  ['an answer without a date', { 'last-modified': DATE }, { hash }],
])('the mark of an answer with %s is what makes the next request conditional', (_, headers, mark) => {
  expect(fingerprintOf(new Headers(headers), BODY)).toEqual(mark);
});
