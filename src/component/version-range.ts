import Range from 'semver/classes/range.js';
import validRange from 'semver/ranges/valid.js';

/** Every version is compared with each alternative of a range, so both are bounded: characters, and parts between `||`. */
const BOUNDS = { range: 128, alternatives: 8 } as const;

/**
 * A test for versions: equal, or within the wanted range when that is an npm semver range and the version is a semver. A range beyond
 * the bounds is none.
 */
export function compileVersion(wanted: string): (version: string) => boolean {
  const { range, alternatives } = BOUNDS;
  const isShort = wanted.trim() !== '' && wanted.length <= range && wanted.split('||').length <= alternatives;
  const wantedRange = isShort && validRange(wanted) !== null ? new Range(wanted) : undefined;
  return (version) => version === wanted || wantedRange?.test(version) === true;
}
