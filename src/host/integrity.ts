import { HostError } from './host-error.js';

/** From the weakest to the strongest (Subresource Integrity, section 3.3.3), as the Web Cryptography API calls them. */
const ALGORITHMS: readonly (readonly [name: string, cryptoName: string, digestLength: number])[] = [
  ['sha256', 'SHA-256', 44],
  ['sha384', 'SHA-384', 64],
  ['sha512', 'SHA-512', 88],
];

/** What counts of integrity metadata: any of the digests of its strongest algorithm will do. */
export interface Integrity {
  /** `sha384` */
  readonly name: string;
  /** `SHA-384` */
  readonly algorithm: string;
  /** In base64, sorted. */
  readonly digests: readonly string[];
}

/**
 * Integrity metadata as `<script integrity>` has it (Subresource Integrity, section 3.3): `sha384-<base64>`, or several of that
 * form with spaces between them.
 * @throws HostError `request` for what holds no digest that could be checked: a typing error must not switch the check off
 */
export function readIntegrity(text: string): Integrity {
  const integrity = strongest(text);
  if (integrity) return integrity;
  throw new HostError('request', `${JSON.stringify(text)} is no integrity; one looks like sha384-<base64>`);
}

export function isIntegrity(text: string): boolean {
  return strongest(text) !== undefined;
}

/** The same text for all integrity metadata that asks for the same. */
export function integrityText({ name, digests }: Integrity): string {
  return digests.map((digest) => `${name}-${digest}`).join(' ');
}

/** Longer than any that somebody means: what strangers send is not read without end. */
const LONGEST = 4_096;

function strongest(text: string): Integrity | undefined {
  if (text.length > LONGEST) return undefined;
  const items = text.split(/\s+/).map((item) => /^(sha\d{3})-([A-Za-z0-9+/]+={0,2})(?:\?.*)?$/.exec(item));
  return ALGORITHMS.flatMap(([name, algorithm, length]) => {
    const digests = items.flatMap((item) =>
      item?.[1] === name && item[2]?.length === length ? [item[2]] : [],
    );
    return digests.length === 0 ? [] : [{ name, algorithm, digests: [...new Set(digests)].sort() }];
  }).at(-1);
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
  const actual = base64(new Uint8Array(await crypto.subtle.digest(promised.algorithm, bytes)));
  if (promised.digests.includes(actual)) return;
  throw new HostError(
    'integrity',
    `${url} is not the module that was promised: it is ${promised.name}-${actual}, promised was ${integrityText(promised)}`,
  );
}

function base64(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes));
}
