import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { listMembers, parseMediaType } from '../../../src/lib/http/media-type.js';

describe('parseMediaType', () => {
  it.each<[string, string, Record<string, string>]>([
    ['text/turtle', 'text/turtle', {}],
    [' Text/HTML ;Charset=UTF-8 ; q=0.5', 'text/html', { charset: 'UTF-8', q: '0.5' }],
    ['a/b;c="d;\\"e,f"', 'a/b', { c: 'd;"e,f' }],
    ['a/b;', 'a/b', {}],
    ['*/*', '*/*', {}],
  ])('%s', (text, type, parameters) => {
    const parsed = parseMediaType(text);
    expect([parsed?.type, Object.fromEntries(parsed?.parameters ?? [])]).toEqual([type, parameters]);
  });

  it.each(['', 'text', '/', 'a/', '/b', 'a b/c', 'a/b c', 'a/b;c="d', 'a/b;=c', 'a/b/c'])(
    '%j is none',
    (text) => {
      expect(parseMediaType(text)).toBeUndefined();
    },
  );

  it('never throws', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => void parseMediaType(text)));
  });
});

describe('listMembers', () => {
  it.each([
    ['a, b,c', ['a', 'b', 'c']],
    [',, a ,', ['a']],
    ['a;b="c,d", e', ['a;b="c,d"', 'e']],
    ['', []],
  ])('%j', (header, members) => {
    expect(listMembers(header)).toEqual(members);
  });
});
