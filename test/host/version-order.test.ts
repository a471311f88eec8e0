import fc from 'fast-check';
import semver from 'semver';
import { expect, test } from 'vitest';
import { newerFirst } from '../../src/host/version-order.js';

const number = fc.oneof(fc.nat(3), fc.constantFrom(10, 999_999_999));
const part = fc.constantFrom('0', '1', '10', 'alpha', 'beta', 'alpha-1', '1a');
const version = fc
  .tuple(number, number, number, fc.array(part, { maxLength: 3 }))
  .map(
    ([major, minor, patch, parts]) =>
      `${major}.${minor}.${patch}${parts.length ? `-${parts.join('.')}` : ''}`,
  );

test('versions are ordered as the semver library orders them', () => {
  fc.assert(
    fc.property(version, version, (one, other) => {
      expect(Math.sign(newerFirst(one, other))).toBe(Math.sign(-semver.compare(one, other)) + 0);
    }),
  );
});

test('what is no version comes after all that are, in no order among themselves', () => {
  for (const text of ['', undefined, 'newest', '1.2', `9.9.9-${'a.'.repeat(5_000)}`, '9'.repeat(5_000)]) {
    expect(newerFirst('0.0.1', text)).toBeLessThan(0);
    expect(newerFirst(text, '0.0.1')).toBeGreaterThan(0);
    expect(newerFirst(text, 'other')).toBe(0);
  }
});
