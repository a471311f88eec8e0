import { type MediaType, parseList, qualityOf } from './media-type.js';

/** Content codings that this node can send, the one with the smallest result first. */
const CODINGS = ['br', 'gzip'] as const;
export type Coding = (typeof CODINGS)[number];

/**
 * The codings that a client accepts (RFC 9110, section 12.5.3), by its preference, then by size. Codings that it likes
 * less than the plain body are left out, because that is always available.
 *
 * The choice is not left to negotiator 1.1, which offers a coding that is liked less than the plain body, and
 * does not know `x-gzip`.
 */
export function acceptedCodings(header: string | null | undefined): Coding[] {
  if (!header) return [];
  const weights = new Map(parseList(header).map(weightOf));
  const weight = (coding: string) => weights.get(coding) ?? weights.get('*') ?? 0;
  const plain = weights.get('identity') ?? 0;
  return CODINGS.filter((coding) => weight(coding) > 0 && weight(coding) >= plain).sort(
    (one, other) => weight(other) - weight(one),
  );
}

/** A coding with a malformed weight counts as not accepted. */
function weightOf(member: MediaType): [coding: string, weight: number] {
  const coding = member.type === 'x-gzip' ? 'gzip' : member.type;
  const alone = Object.keys(member.parameters).every((name) => name === 'q');
  return [coding, alone ? (qualityOf(member) ?? 0) : 0];
}
