import { expect, test } from 'vitest';
import { HostError, type HostErrorReason } from '../../src/host/host-error.js';

const DETAILS =
  'https://c.example/card.js has sha384-aaaa, and not sha384-bbbb; GET https://c.example/ was answered with 500';

/** With every reason, so that a new one has its sentence. */
const REASONS: Readonly<Record<HostErrorReason, RegExp>> = {
  network: /cannot be reached/,
  status: /has refused/,
  timeout: /too long/,
  size: /too large/,
  type: /kind/,
  syntax: /cannot be read/,
  integrity: /not the one that was promised/,
  trust: /Nobody answers for/,
  module: /does not work/,
  request: /developers of the page/,
  conflict: /Somebody else/,
};

test.each(Object.entries(REASONS) as [HostErrorReason, RegExp][])(
  'an error for %s has a sentence for readers without addresses, hashes and numbers, and details for developers',
  (reason, words) => {
    const error = new HostError(reason, DETAILS);
    expect(error.userMessage).toMatch(words);
    expect(error.userMessage).toMatch(/^[A-Z][A-Za-z ,:'.]{10,100}\.$/);
    expect(error.message).toBe(DETAILS);
  },
);

test.each([401, 403, 404, 410])('an answer of %i is told in words', (status) => {
  const { userMessage } = new HostError('status', DETAILS, { status });
  expect(userMessage).toMatch(status < 404 ? /sign in/ : /nothing at this address/);
});
