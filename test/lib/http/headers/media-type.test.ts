import { describe, expect, it } from 'vitest';
import { parseList, parseMediaType } from '../../../../src/lib/http/headers/media-type.js';
import { processorTime } from '../../../support/processor-time.js';

describe('parseMediaType', () => {
  it.each<[string, string, Record<string, string>]>([
    ['text/turtle', 'text/turtle', {}],
    [' Text/HTML ;Charset=UTF-8 ; q=0.5', 'text/html', { charset: 'UTF-8', q: '0.5' }],
    ['a/b;c="d;\\"e,f"', 'a/b', { c: 'd;"e,f' }],
    ['a/b;', 'a/b', {}],
    ['*/*', '*/*', {}],
    ['a/b;c=d;c=e', 'a/b', { c: 'd' }],
    ['a/b;__proto__=c', 'a/b', Object.fromEntries([['__proto__', 'c']])],
  ])('%s', (text, type, parameters) => {
    const parsed = parseMediaType(text);
    expect([parsed?.type, { ...parsed?.parameters }]).toEqual([type, parameters]);
  });

  it.each(['', 'text', '/', 'a/', '/b', 'a b/c', 'a/b c', 'a/b;c="d', 'a/b;=c', 'a/b/c'])(
    '%j is none',
    (text) => {
      expect(parseMediaType(text)).toBeUndefined();
    },
  );
});

it.each(['"', ',', ';', 'a;', 'a;b=,', ' ', ';" ', '=', 'a;b="\\', '; ', 'a/b;c="\\"'])(
  'takes linear time for headers that repeat %j',
  (piece) => {
    const busyMs = processorTime();
    for (const before of ['', 'a/b', 'a/b;c="']) {
      parseList(before + piece.repeat(100_000));
      parseMediaType(`${before + piece.repeat(100_000)}é`);
    }
    expect(busyMs()).toBeLessThan(2_000);
  },
);
