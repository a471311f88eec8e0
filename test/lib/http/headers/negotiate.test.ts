import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { acceptsGzip, negotiate } from '../../../../src/lib/http/headers/negotiate.js';

const OFFERED = ['application/json', 'application/ld+json', 'text/turtle'] as const;

describe('negotiate', () => {
  it.each([
    [undefined, 'application/json'],
    ['', 'application/json'],
    ['*/*', 'application/json'],
    ['*', 'application/json'],
    ['text/turtle', 'text/turtle'],
    ['TEXT/Turtle', 'text/turtle'],
    ['text/turtle; charset=utf-8', 'text/turtle'],
    ['text/*', 'text/turtle'],
    ['application/*', 'application/json'],
    ['text/turtle;q=0.5, application/ld+json;q=0.9', 'application/ld+json'],
    ['text/turtle, application/ld+json', 'text/turtle'],
    ['application/ld+json, text/turtle', 'application/ld+json'],
    ['*/*, text/turtle', 'text/turtle'],
    ['application/json;q=0, */*', 'application/ld+json'],
    ['text/*, text/turtle;q=0', undefined],
    ['*/*;q=0', undefined],
    ['text/html', undefined],
    ['text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8', 'application/json'],
    ['application/ld+json;profile="a,b;q=0"', 'application/ld+json'],
    ['text/turtle;q=2', 'application/json'],
    ['text/turtle;q=high, application/ld+json;q=0.1', 'application/ld+json'],
    ['text/turtle;Q=0.2, application/ld+json;Q=0.3, application/json;Q=high', 'application/ld+json'],
    [';;;,,"', 'application/json'],
    ['rubbish', 'application/json'],
    [' , text/turtle ,', 'text/turtle'],
    ['text/turtle;q=0.001, */*;q=0', 'text/turtle'],
  ])('%s → %s', (accept, expected) => {
    expect(negotiate(accept, OFFERED)).toBe(expected);
  });

  it('gives what has the highest q of all that is offered', () => {
    const quality = fc.integer({ min: 0, max: 1000 }).map((thousandths) => thousandths / 1000);
    fc.assert(
      fc.property(fc.tuple(quality, quality, quality), fc.boolean(), (qualities, backwards) => {
        const ranges = OFFERED.map((type, i) => `${type};q=${qualities[i]}`);
        const chosen = negotiate((backwards ? ranges.reverse() : ranges).join(', '), OFFERED);
        const best = Math.max(...qualities);
        if (best === 0) expect(chosen).toBeUndefined();
        else expect(chosen && qualities[OFFERED.indexOf(chosen)]).toBe(best);
      }),
    );
  });
});

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
])('gzip by %j: %s', (header, expected) => {
  expect(acceptsGzip(header)).toBe(expected);
});
