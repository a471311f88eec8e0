import { expect, it } from 'vitest';
import { acceptsGzip } from '../../../../src/lib/http/headers/content-coding.js';

it.each([
  [undefined, false],
  ['', false],
  ['identity', false],
  ['gzip', true],
  ['GZip, Br', true],
  ['br', false],
  ['*', true],
  ['*;q=0.5, gzip;q=0', false],
  ['gzip;q=0', false],
  ['identity, gzip;q=0.5', false],
  ['gzip;q=high', false],
  [';;,"', false],
])('%j: %s', (header, expected) => {
  expect(acceptsGzip(header)).toBe(expected);
});
