import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { isPermissive } from '../../scripts/build/third-party.js';
import { TOP } from '../support/docs.js';

it('everybody may pass on what npm installs with the program', () => {
  const { packages } = JSON.parse(readFileSync(`${TOP}package-lock.json`, 'utf8'));
  const installed = Object.entries<{ dev?: boolean; license?: string }>(packages).filter(
    ([, { dev }]) => !dev,
  );
  expect(installed.length).toBeGreaterThan(100);
  expect(installed.filter(([, { license = 'none named' }]) => !isPermissive(license))).toEqual([]);
});

// The build refuses what is not, too, of what it puts into bundles.
it.each([
  ['MIT', true],
  ['(MPL-2.0 OR Apache-2.0)', true],
  ['MIT AND GPL-3.0-only', false],
  ['GPL-3.0-or-later', false],
  ['none named', false],
])('everybody may pass on what is under %s: %s', (licence, may) => {
  expect(isPermissive(licence)).toBe(may);
});
