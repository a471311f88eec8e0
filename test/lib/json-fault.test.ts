import fc from 'fast-check';
import { expect, it } from 'vitest';
import { jsonFault } from '../../src/lib/json-fault.js';

it.each([
  ['', 1, 1],
  ['{', 1, 2],
  ['{"a":1,}', 1, 8],
  ['[1,]', 1, 4],
  ['{"a" 1}', 1, 6],
  ['{"a":tru}', 1, 6],
  ['{\n  "a": 1\n  "b": 2\n}', 3, 3],
  ['{"a":01}', 1, 6],
  ['{"a":1} x', 1, 9],
  ['// no\n{}', 1, 1],
  ["{'a':1}", 1, 2],
  ['["a\nb"]', 1, 2],
])('finds the fault in %j at line %i, column %i', (text, line, column) => {
  expect(jsonFault(text)).toEqual({ line, column });
});

it('finds none in what JSON.stringify writes', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom('', ' ', '\t'), (value, indent) => {
      expect(jsonFault(JSON.stringify(value, null, indent))).toBeUndefined();
    }),
  );
});

it('agrees with JSON.parse on texts with one character changed', () => {
  const changed = fc
    .tuple(
      fc.jsonValue(),
      fc.nat(),
      fc.constantFrom('', '"', ',', '}', ']', ':', '0', '-', '.', 'e', '\\', '\n'),
    )
    .map(([value, at, character]) => {
      const text = JSON.stringify(value);
      const place = at % text.length;
      return text.slice(0, place) + character + text.slice(place + 1);
    });
  fc.assert(
    fc.property(changed, (text) => {
      expect(jsonFault(text) === undefined).toBe(isJson(text));
    }),
    { numRuns: 1000 },
  );
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
