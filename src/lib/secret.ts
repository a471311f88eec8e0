import { createHash, timingSafeEqual } from 'node:crypto';

/** Compares two secrets in constant time, so that the time tells nothing about where they differ. */
export function sameSecret(one: string, other: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(one), digest(other));
}

/** The token of an `Authorization: Bearer …` header (RFC 6750, section 2.1), if that is what it is. */
export function bearerToken(header: string | null | undefined): string | undefined {
  return header?.match(/^Bearer +([A-Za-z0-9\-._~+/]+=*) *$/i)?.[1];
}
