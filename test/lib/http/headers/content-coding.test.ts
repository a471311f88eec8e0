import { expect, it } from 'vitest';
import { acceptedCodings } from '../../../../src/lib/http/headers/content-coding.js';

it.each([
  [undefined, []],
  ['', []],
  ['identity', []],
  ['gzip', ['gzip']],
  ['x-gzip', ['gzip']],
  ['GZip, Br', ['br', 'gzip']],
  ['gzip, deflate, br, zstd', ['br', 'gzip']],
  ['gzip;q=1.0, br;q=0.5', ['gzip', 'br']],
  ['*', ['br', 'gzip']],
  ['*;q=0.5, br;q=0', ['gzip']],
  ['gzip;q=0', []],
  ['identity, gzip;q=0.5', []],
  ['gzip;q=high', []],
  ['gzip;level=9', []],
  [';;,"', []],
])('%j → %j', (header, expected) => {
  expect(acceptedCodings(header)).toEqual(expected);
});
