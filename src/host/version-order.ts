/** A semantic version (Semantic Versioning 2.0.0, section 2): the numbers, and the parts behind a hyphen. */
interface SemanticVersion {
  readonly numbers: readonly number[];
  readonly prerelease: readonly string[];
}

const FORM = /^v?(\d{1,15})\.(\d{1,15})\.(\d{1,15})(?:-([0-9A-Za-z.-]{1,200}))?(?:\+[0-9A-Za-z.-]{1,200})?$/;

/**
 * Below zero when the first version is newer (Semantic Versioning 2.0.0, section 11). What is no semantic version comes
 * after all that are.
 */
export function newerFirst(one = '', other = ''): number {
  const [a, b] = [read(one), read(other)];
  if (!a || !b) return Number(!a) - Number(!b);
  const [x, y] = [a.numbers, b.numbers];
  const at = x.findIndex((number, i) => number !== y[i]);
  if (at >= 0) return (y[at] ?? 0) - (x[at] ?? 0);
  return comparePrerelease(b.prerelease, a.prerelease);
}

function read(version: string): SemanticVersion | undefined {
  const [, major, minor, patch, prerelease] = FORM.exec(version.trim()) ?? [];
  if (major === undefined) return undefined;
  return { numbers: [major, minor, patch].map(Number), prerelease: prerelease?.split('.') ?? [] };
}

function comparePrerelease(one: readonly string[], other: readonly string[]): number {
  if (one.length === 0 || other.length === 0) return other.length - one.length;
  const at = one.findIndex((part, i) => part !== other[i]);
  if (at < 0) return one.length - other.length;
  return comparePart(one[at], other[at]);
}

/** Numbers are lower than words, and a part that is missing is lower than both. */
function comparePart(one = '', other?: string): number {
  if (other === undefined) return 1;
  const [a, b] = [/^\d+$/.test(one), /^\d+$/.test(other)];
  if (a && b) return Number(one) - Number(other);
  if (a !== b) return a ? -1 : 1;
  return one < other ? -1 : 1;
}
