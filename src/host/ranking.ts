import { compareText } from '../lib/compare-text.js';
import { type Candidate, isBroken } from './candidate.js';
import { newerFirst } from './version-order.js';

/**
 * The best first: what has the bytes that it had, before what has others; what somebody answers for, before what was only learned, and that before samples; then those that know more of the shapes; then
 * pods before what was posted to a node, and that before peers; then those who have been known longer; and of one origin
 * the latest, and of one label the newest version.
 *
 * Versions and `latest` are compared within one origin only: a stranger may call a component as he likes, and say that it is
 * the newest of somebody else's. Origins are sources; without sources, the origins of the modules.
 */
export function ranked(candidates: readonly Candidate[]): Candidate[] {
  const since = firstSeen(candidates);
  const known = (candidate: Candidate) => since.get(originOf(candidate)) ?? '';
  return [...candidates].sort(
    (one, other) =>
      Number(isBroken(one)) - Number(isBroken(other)) ||
      standing(one) - standing(other) ||
      other.because.shapes.length - one.because.shapes.length ||
      KINDS.indexOf(kindOf(one)) - KINDS.indexOf(kindOf(other)) ||
      compareText(known(one), known(other)) ||
      compareText(originOf(one), originOf(other)) ||
      currency(other) - currency(one) ||
      one.label.localeCompare(other.label) ||
      newerFirst(one.version, other.version) ||
      compareText(one.uri, other.uri),
  );
}

/** When the first description of each origin was seen. */
function firstSeen(candidates: readonly Candidate[]): ReadonlyMap<string, string> {
  const since = new Map<string, string>();
  for (const candidate of candidates) {
    const origin = originOf(candidate);
    const [before = candidate.since, now] = [since.get(origin), candidate.since];
    if (now !== undefined && before !== undefined) since.set(origin, before < now ? before : now);
  }
  return since;
}

function originOf({ source, uri }: Candidate): string {
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
