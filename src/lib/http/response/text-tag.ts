import { createHash } from 'node:crypto';

/** A strong entity tag, with its quotes, that differs when the text does (RFC 9110, section 8.8.3). */
export function textTag(text: string): string {
  return `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`;
}
