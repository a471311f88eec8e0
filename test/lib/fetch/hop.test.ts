import { expect, it } from 'vitest';
import { firstHop, nextHop, redirectTarget } from '../../../src/lib/fetch/hop.js';

const refused = expect.objectContaining({ reason: 'refused' });
const configured = firstHop('https://pod.test/a/', 'configured');

it.each([
  ...['ftp://pod.test/', 'file:///etc/passwd', 'data:,x', 'javascript:1', 'http://'],
  'https://me:hunter2@pod.test/',
])('%s is asked neither first nor by a redirect, and no password is repeated', (url) => {
  for (const hop of [() => firstHop(url, 'configured'), () => nextHop(configured, url, false)]) {
    expect(hop).toThrow(refused);
    expect(hop).not.toThrow(/hunter2/);
  }
});

it('https is left neither with credentials nor by what was learned', () => {
  expect(() => nextHop(configured, 'http://pod.test/', true)).toThrow(refused);
  const learned = firstHop('https://pod.test/', 'learned');
  expect(() => nextHop(learned, 'http://pod.test/', false)).toThrow(refused);
});

it('redirects are told from answers, and one to nowhere is an answer', () => {
  const headers = new Headers({ location: '/b' });
  const statuses = [200, 201, 300, 301, 302, 303, 304, 305, 307, 308, 404];
  const redirects = statuses.filter((status) => redirectTarget(status, headers) === '/b');
  expect(redirects).toEqual([301, 302, 303, 307, 308]);
  expect(redirectTarget(302, new Headers())).toBeUndefined();
});
