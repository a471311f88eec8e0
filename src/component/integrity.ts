/** From the weakest to the strongest (Subresource Integrity, section 3.3.3): characters of a digest in base64. */
const ALGORITHMS = { sha256: 44, sha384: 64, sha512: 88 } as const;

export type IntegrityAlgorithm = keyof typeof ALGORITHMS;

/** What counts of integrity metadata: any of the digests of its strongest algorithm will do. */
export interface Integrity {
  readonly algorithm: IntegrityAlgorithm;
  /** In base64, each once, sorted. */
  readonly digests: readonly string[];
}

/** Longer than any that somebody means: what strangers send is not read without end. */
const LONGEST = 4_096;

/**
 * Reads integrity metadata as `<script integrity>` has it (Subresource Integrity, section 3.3): `sha384-<base64>`, or several of that
 * form with white space between them. What browsers do not know is passed over, as they do.
 * @returns undefined for what holds no digest that could be checked
 */
export function parseIntegrity(text: string): Integrity | undefined {
  if (text.length > LONGEST) return undefined;
  const items = text.split(/\s+/).map((item) => /^(sha\d{3})-([A-Za-z0-9+/]+={0,2})(?:\?.*)?$/.exec(item));
  const names = Object.keys(ALGORITHMS) as IntegrityAlgorithm[];
  const known = names.map((algorithm): Integrity => {
    const digests = items.flatMap((item) => (item?.[1] === algorithm ? (item[2] ?? []) : []));
    const whole = digests.filter(({ length }) => length === ALGORITHMS[algorithm]);
    return { algorithm, digests: [...new Set(whole)].sort() };
  });
  return known.findLast(({ digests }) => digests.length > 0);
}

/** The same text for all integrity metadata that asks for the same. */
export function integrityText({ algorithm, digests }: Integrity): string {
  return digests.map((digest) => `${algorithm}-${digest}`).join(' ');
}

/** Are the bytes with these digests among those that are promised? */
export function isPromised(digests: string, { algorithm, digests: promised }: Integrity): boolean {
  return promised.some((digest) => digests.split(' ').includes(`${algorithm}-${digest}`));
}

/** The `sha384-<base64>` of some bytes, by the Web Cryptography API, which browsers and Node.js have. */
export async function integrityOf(
  bytes: ArrayBuffer | Uint8Array<ArrayBuffer>,
  algorithm: IntegrityAlgorithm = 'sha384',
): Promise<string> {
  const digest = await crypto.subtle.digest(algorithm.replace('sha', 'SHA-'), bytes);
  return `${algorithm}-${btoa(String.fromCharCode(...new Uint8Array(digest)))}`;
}
