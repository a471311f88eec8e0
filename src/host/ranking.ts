import { compareText } from '../lib/compare-text.js';
import { type Candidate, isBroken } from './candidate.js';
import { newerFirst } from './version-order.js';

/**
 * The best first: what has the bytes that it had, before what has others; what somebody answers for, before what was only learned, and that before samples; then those that know more of the shapes; then
 * pods before what was posted to a node, and that before peers; then those who have been known longer; and of one place
 * the latest, and of one label the newest version.
 *
 * Versions and `latest` are compared within one place only: a stranger may call a component as he likes, and say that it is
 * the newest of somebody else's. Places are sources; without sources, the origins of the modules.
 */
export function ranked(candidates: readonly Candidate[]): Candidate[] {
  const since = firstSeen(candidates);
  const known = (candidate: Candidate) => since.get(placeOf(candidate)) ?? '';
  return [...candidates].sort(
    (one, other) =>
      Number(isBroken(one)) - Number(isBroken(other)) ||
      standing(one) - standing(other) ||
      other.because.shapes.length - one.because.shapes.length ||
      KINDS.indexOf(kindOf(one)) - KINDS.indexOf(kindOf(other)) ||
      compareText(known(one), known(other)) ||
      compareText(placeOf(one), placeOf(other)) ||
      currency(other) - currency(one) ||
      one.label.localeCompare(other.label) ||
      newerFirst(one.version, other.version) ||
      compareText(one.uri, other.uri),
  );
}

/** When the first description of each place was seen. */
function firstSeen(candidates: readonly Candidate[]): ReadonlyMap<string, string> {
  const since = new Map<string, string>();
  for (const candidate of candidates) {
    const place = placeOf(candidate);
    const [before = candidate.since, now] = [since.get(place), candidate.since];
    if (now !== undefined && before !== undefined) since.set(place, before < now ? before : now);
  }
  return since;
}

function placeOf({ source, uri }: Candidate): string {
  return source ? `${source.kind} ${source.url}` : new URL(uri).origin;
}

/** Of one trust, in the order in which nodes serve statements. */
const KINDS = ['pod', 'local', 'peer', 'sample'];

function kindOf({ source }: Candidate): string {
  return source?.kind ?? 'local';
}

/** Trust comes first, and samples last, as in the order in which nodes serve statements. */
function standing({ because, source }: Candidate): number {
  if (source?.kind === 'sample') return 2;
  return because.trust === 'learned' ? 1 : 0;
}

/** The latest version first, one that is known to be outdated last. */
function currency({ latest }: Candidate): number {
  return latest === undefined ? 0 : latest ? 1 : -1;
}
