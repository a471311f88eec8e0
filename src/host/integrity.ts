import {
  type Integrity,
  integrityOf,
  integrityText,
  isPromised,
  parseIntegrity,
} from '../component/integrity.js';
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
  const actual = await integrityOf(bytes, promised.algorithm);
  if (isPromised(actual, promised)) return;
  throw new HostError(
    'integrity',
    `${url} is not the module that was promised: it is ${actual}, promised was ${integrityText(promised)}`,
  );
}
