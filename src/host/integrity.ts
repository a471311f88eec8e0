import { digestName, type Integrity, integrityText, parseIntegrity } from '../component/integrity.js';
import { HostError } from './host-error.js';

/** @throws HostError `request` for what holds no digest that could be checked: a typing error must not switch the check off */
export function readIntegrity(text: string): Integrity {
  const integrity = parseIntegrity(text);
  if (integrity) return integrity;
  throw new HostError('request', `${JSON.stringify(text)} is no integrity; one looks like sha384-<base64>`);
}

/** @throws HostError `integrity`, with both digests, unless the bytes have one of the promised ones */
export async function verify(
  bytes: Uint8Array<ArrayBuffer>,
  promised: Integrity,
  url: string,
): Promise<void> {
  if (!globalThis.crypto?.subtle) {
    throw new HostError(
      'integrity',
      `${url} has a promised hash, and hashes can be checked only on pages from https or localhost`,
    );
  }
  const { algorithm, digests } = promised;
  const actual = base64(new Uint8Array(await crypto.subtle.digest(digestName(algorithm), bytes)));
  if (digests.includes(actual)) return;
  throw new HostError(
    'integrity',
    `${url} is not the module that was promised: it is ${algorithm}-${actual}, promised was ${integrityText(promised)}`,
  );
}

function base64(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes));
}
