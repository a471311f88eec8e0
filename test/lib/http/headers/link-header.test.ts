import { expect, it } from 'vitest';
import { parseLinks } from '../../../../src/lib/http/headers/link-header.js';
import { processorTime } from '../../../support/processor-time.js';

it.each<[string | null, [string, ...string[]][]]>([
  [null, []],
  ['', []],
  ['<a>; rel="next"', [['a', 'next']]],
  ['<a>;rel=next', [['a', 'next']]],
  ['<a> ; REL = "Next  PREV"', [['a', 'next', 'prev']]],
  [
    '<a,b;c>; title="x, <y>; rel=z"; rel=up,<d>; rel="http://Example.org/Rel"',
    [
      ['a,b;c', 'up'],
      ['d', 'http://Example.org/Rel'],
    ],
  ],
  ['<a>; rel=first; rel=second', [['a', 'first']]],
  ['<a>; title*=x; rel=next', [['a', 'next']]],
  ['<a>', [['a']]],
  ['rubbish, <a>; rel=next', [['a', 'next']]],
  ['<a; rel=next', []],
  ['<>; rel=self', [['', 'self']]],
])('%s', (header, links) => {
  expect(parseLinks(header).map(({ target, relations }) => [target, ...relations])).toEqual(links);
});

it.each(['<', '>', '<>', '<a>', '<a>;', ';', ',', '<a>,', '"', ' ', '; rel="', '<a>; rel=" ', '\\"'])(
  'takes linear time for headers that repeat %j',
  (piece) => {
    const busyMs = processorTime();
    for (const before of ['', '<a>', '<a>; rel="']) parseLinks(before + piece.repeat(100_000));
    expect(busyMs()).toBeLessThan(2_000);
  },
);
