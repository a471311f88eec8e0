import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { dependenciesOf, withoutPermission } from '../../scripts/dependencies/licences.js';
import { TOP } from '../support/docs.js';

it('all that is given away is under permissive licences', () => {
  const dependencies = dependenciesOf(JSON.parse(readFileSync(`${TOP}package-lock.json`, 'utf8')));
  expect(dependencies.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['quadstore', 'hono', 'dompurify']),
  );
  expect(withoutPermission(dependencies)).toEqual([]);
});

it.each([
  ['MIT', true],
  ['(MPL-2.0 OR Apache-2.0)', true],
  ['MIT AND GPL-3.0-only', false],
  ['GPL-3.0-or-later', false],
  [undefined, false],
])('a dependency under %s may be given away: %s', (license, may) => {
  const lock = { packages: { 'node_modules/a': { version: '1.0.0', license } } } as const;
  expect(withoutPermission(dependenciesOf(lock)).length === 0).toBe(may);
});

it('what is only a tool may be under any licence, unless the build takes parts of it', () => {
  const gpl = { version: '1.0.0', license: 'GPL-3.0-only', dev: true };
  const lock = { packages: { 'node_modules/tool': gpl, 'node_modules/dompurify': gpl } };
  expect(withoutPermission(dependenciesOf(lock)).map(({ name }) => name)).toEqual(['dompurify']);
});
