import { hash } from 'node:crypto';

/** The first 128 bits of SHA-256, as 22 characters of base64url. */
export function shortHash(text: string): string {
  return hash('sha256', text, 'base64url').slice(0, 22);
}
