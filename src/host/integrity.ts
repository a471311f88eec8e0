import { HostError } from './host-error.js';

const ALGORITHMS: Readonly<Record<string, string>> = {
  sha256: 'SHA-256',
  sha384: 'SHA-384',
  sha512: 'SHA-512',
};

/** Integrity metadata as `<script integrity>` has it (Subresource Integrity, section 3): `sha384-<base64>`. */
export interface Integrity {
  readonly algorithm: string;
  readonly digest: string;
}

/** @throws HostError `request` for what is no integrity metadata: a typing error must not switch the check off */
export function readIntegrity(text: string): Integrity {
  const [, name = '', digest = ''] = /^(sha\d{3})-([A-Za-z0-9+/]+={0,2})$/.exec(text.trim()) ?? [];
  const algorithm = ALGORITHMS[name];
  if (algorithm) return { algorithm, digest };
  throw new HostError('request', `${JSON.stringify(text)} is no integrity; one looks like sha384-<base64>`);
}

/** @throws HostError `integrity` unless the bytes have the digest */
export async function verify(
  bytes: Uint8Array<ArrayBuffer>,
  { algorithm, digest }: Integrity,
  url: string,
): Promise<void> {
  if (!globalThis.crypto?.subtle) {
    throw new HostError('integrity', 'hashes can be checked only on pages from https or localhost');
  }
  const actual = base64(new Uint8Array(await crypto.subtle.digest(algorithm, bytes)));
  if (actual === digest) return;
  throw new HostError(
    'integrity',
    `${url} is not the module that was promised: its ${algorithm} is ${actual}`,
  );
}

function base64(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes));
}
