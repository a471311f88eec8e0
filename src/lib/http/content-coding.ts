import { listMembers } from './media-type.js';

/** Compressed forms of a body, the smallest first. */
export const CODINGS = ['br', 'gzip'] as const;
export type Coding = (typeof CODINGS)[number];

/**
 * The codings that a client takes (RFC 9110, section 12.5.3), those that it likes better first, then the
 * smaller ones. The plain body is always possible, and comes before those that are liked less than it.
 */
export function acceptedCodings(header: string | null | undefined): Coding[] {
  if (!header) return [];
  const weights = new Map(listMembers(header).map(weightOf));
  const weight = (coding: string) => weights.get(coding) ?? weights.get('*') ?? 0;
  const plain = weights.get('identity') ?? 0;
  return CODINGS.filter((coding) => weight(coding) > 0 && weight(coding) >= plain).sort(
    (one, other) => weight(other) - weight(one),
  );
}

/** A weight that nobody can read counts as none. */
function weightOf(member: string): [coding: string, weight: number] {
  const [, name = '', weight = '1'] = /^([^\s;]+)\s*(?:;\s*q\s*=\s*(\S+))?$/i.exec(member) ?? [];
  const coding = name.toLowerCase().replace(/^x-gzip$/, 'gzip');
  return [coding, /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(weight) ? Number(weight) : 0];
}
