import { expect, it } from 'vitest';
import { printable, printableLines } from '../../src/lib/printable.js';

const HOSTILE = 'a\u001b[2J\u009b\u202eb\n\tc';

it('leaves nothing in a line that rewrites the terminal', () => {
  expect(printable(HOSTILE)).toBe('a [2J  b  c');
});

it('keeps line breaks of a text, and what JSON says', () => {
  expect(printableLines(HOSTILE)).toBe('a\\u001b[2J\\u009b\\u202eb\n\tc');
  const json = { label: `${HOSTILE}\u007f` };
  expect(JSON.parse(printableLines(JSON.stringify(json)))).toEqual(json);
});
