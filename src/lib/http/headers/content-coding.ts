import { parseList, qualityOf } from './media-type.js';

/**
 * Does a client take gzip, and like it no less than the plain body (RFC 9110, section 12.5.3)? The choice is not left to
 * negotiator 1.1, which offers a coding that is liked less than the plain body.
 */
export function acceptsGzip(header: string | null | undefined): boolean {
  if (!header) return false;
  // A malformed weight counts as not accepted.
  const weights = new Map(parseList(header).map((member) => [member.type, qualityOf(member) ?? 0]));
  const gzip = weights.get('gzip') ?? weights.get('*') ?? 0;
  return gzip > 0 && gzip >= (weights.get('identity') ?? 0);
}
