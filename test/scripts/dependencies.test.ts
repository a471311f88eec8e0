import { expect, it } from 'vitest';
import { isPermissive } from '../../scripts/dependencies/licences.js';

// The build refuses what is not: it asks this of every package that it joins into the program.
it.each([
  ['MIT', true],
  ['(MPL-2.0 OR Apache-2.0)', true],
  ['MIT AND GPL-3.0-only', false],
  ['GPL-3.0-or-later', false],
  ['none named', false],
])('everybody may pass on what is under %s: %s', (licence, may) => {
  expect(isPermissive(licence)).toBe(may);
});
