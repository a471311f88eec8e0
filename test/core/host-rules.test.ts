import fc from 'fast-check';
import { expect, test } from 'vitest';
import { hostJudge } from '../../src/core/host-rules.js';

const isDenied = (patterns: readonly string[], url: string) =>
  hostJudge(patterns, [])(new URL(url)) !== undefined;

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
  ['ab*ba', 'https://aba/', false],
  ['ab*ba', 'https://abba/', true],
  ['x*ab*b', 'https://xab/', false],
  ['x*ab*b', 'https://xabb/', true],
  ['*[*', 'http://[2001:db8::1]/', false],
  ['a+b(c', 'https://anything.example/', false],
])('%s and %s: %s', (pattern, url, matches) => {
  expect(isDenied([pattern], url)).toBe(matches);
});

test('hosts match as they do by a regular expression', () => {
  const text = (alphabet: string, most: number) =>
    fc.string({ unit: fc.constantFrom(...alphabet), minLength: 1, maxLength: most });
  const byRegExp = (patterns: readonly string[], host: string) =>
    patterns.some((pattern) => {
      const wanted = pattern.replace(/\.$/, '').replaceAll('.', '\\.').replaceAll('*', '.*');
      return new RegExp(`^${wanted}$`).test(host);
    });
  fc.assert(
    fc.property(fc.array(text('ab.*', 7), { maxLength: 30 }), text('ab.', 9), (patterns, name) => {
      const host = `x${name.replace(/\.+/g, '.')}x`;
      expect(isDenied(patterns, `http://${host}/`)).toBe(byRegExp(patterns, host));
    }),
    { numRuns: 2000 },
  );
});

test('a pattern is compared in time that grows with the host alone', () => {
  const host = Array.from({ length: 4 }, () => 'a'.repeat(60)).join('.');
  // As a regular expression the first pattern takes 2 s for this host, and the second one never ends.
  expect(isDenied(['*a*a*a*b', `${'*a'.repeat(12)}*b`], `http://${host}/`)).toBe(false);
});

test('what is denied wins over what is allowed; without a pattern that allows, all else is allowed', () => {
  const judge = hostJudge(['*.spam.example'], ['*.example']);
  expect(judge(new URL('https://a.spam.example'))).toBe('denied');
  expect(judge(new URL('https://ann.example'))).toBeUndefined();
  expect(judge(new URL('https://ann.other'))).toBe('not-allowed');
  expect(hostJudge([], [])(new URL('https://ann.other'))).toBeUndefined();
});
