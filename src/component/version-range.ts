import Range from 'semver/classes/range.js';

/** Every version is compared with each alternative of a range, so both are bounded: characters, and parts between `||`. */
const BOUNDS = { range: 128, alternatives: 8 } as const;

/** A test for versions: equal, or within the wanted range when that is an npm semver range and the version is a semver. */
export function compileVersion(wanted: string): (version: string) => boolean {
  const range = rangeOf(wanted);
  return (version) => version === wanted || range?.test(version) === true;
}

/** A range, unless it is longer or has more alternatives than is allowed, or is none. */
function rangeOf(wanted: string): Range | undefined {
  const { range, alternatives } = BOUNDS;
  const isShort = wanted.trim() !== '' && wanted.length <= range && wanted.split('||').length <= alternatives;
  if (!isShort) return undefined;
  try {
    return new Range(wanted);
  } catch (error) {
    // How the library says that a text is no range.
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}
