import { expect, it } from 'vitest';
import { isPermissive } from '../../scripts/licences.js';

// npm run licences, and the build for what it puts into bundles, refuse what is not.
it.each([
  ['MIT', true],
  ['(MPL-2.0 OR Apache-2.0)', true],
  ['MIT AND GPL-3.0-only', false],
  ['GPL-3.0-or-later', false],
  ['none named', false],
])('everybody may pass on what is under %s: %s', (licence, may) => {
  expect(isPermissive(licence)).toBe(may);
});
