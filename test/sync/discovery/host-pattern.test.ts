import { expect, test } from 'vitest';
import { hostRules } from '../../../src/sync/discovery/host-pattern.js';

test.each([
  ['node.example', 'https://node.example/x', true],
  ['node.example', 'https://NODE.example.:8443/', true],
  ['Node.Example.', 'https://node.example/', true],
  ['node.example', 'https://a.node.example/', false],
  ['*.node.example', 'https://a.b.node.example/', true],
  ['*.node.example', 'https://node.example/', false],
  ['*.node.example', 'https://evilnode.example/', false],
  ['node.example:8443', 'https://node.example:8443/', true],
  ['node.example:8443', 'https://node.example/', false],
  ['node.example:443', 'https://node.example/', true],
  ['node.example:80', 'http://node.example/', true],
  ['10.0.0.*', 'http://10.0.0.7/', true],
  ['10.0.0.*', 'http://10x0.0.7.example/', false],
  ['[2001:db8::1]', 'http://[2001:db8::1]/', true],
  ['[2001:db8::1]:3000', 'http://[2001:db8::1]:3000/', true],
  ['2001:db8::1', 'http://[2001:db8::1]:3000/', true],
  ['bücher.example', 'https://xn--bcher-kva.example/', true],
  ['*', 'https://anything.example/', true],
  ['a+b(c', 'https://anything.example/', false],
])('%s and %s: %s', (pattern, url, matches) => {
  expect(hostRules([{ pattern }])(new URL(url)) !== undefined).toBe(matches);
});

test('one of several patterns is enough, the first that matches is named, and none matches nothing', () => {
  const rules = [{ pattern: 'a.example' }, { pattern: 'b.example', note: 'why' }, { pattern: '*' }];
  expect(hostRules(rules)(new URL('https://b.example'))).toEqual(rules[1]);
  expect(hostRules([])(new URL('https://b.example'))).toBeUndefined();
});
