import { type Integrity, type IntegrityAlgorithm, integrityText, parseIntegrity } from './integrity.js';

/** What readers are told of a module's bytes under one version. */
export interface Pin {
  /** What was there first, or what the author promised then: integrity metadata, mostly `sha384-<base64>`. */
  readonly integrity: string;
  /** What is there instead now, under the same version, or what the author promises instead. */
  readonly changed?: string | undefined;
}

/** What a pin belongs to. */
export interface PinSubject {
  readonly uri: string;
  /** Components may have none. */
  readonly version?: string | undefined;
}

/** A text for each subject, in the order of uris; uris have no spaces. */
export function pinKey({ uri, version = '' }: PinSubject): string {
  return `${uri} ${version}`;
}

/** As readers see it. */
export function shownPin({ integrity, changed }: Pin): Pin {
  return changed === undefined ? { integrity } : { integrity, changed };
}

export function samePin(one: Pin | undefined, other: Pin | undefined): boolean {
  return one?.integrity === other?.integrity && one?.changed === other?.changed;
}

/**
 * What is known of a module after its bytes have been fetched. The first pin stays: what the author promised then, else the
 * bytes that were there. Other bytes, or another promise, under the same version are `changed`, until they are the first ones again.
 */
export async function observed(
  known: Pin | undefined,
  bytes: Uint8Array<ArrayBuffer>,
  promise: string | undefined,
): Promise<Pin> {
  const seen = await digestText('sha384', bytes);
  const promised = promise === undefined ? undefined : parseIntegrity(promise);
  const integrity = known?.integrity ?? (promised ? integrityText(promised) : seen);
  const pinned = parseIntegrity(integrity);
  if (!pinned || !(await matches(pinned, bytes))) return { integrity, changed: seen };
  if (!promised || (await matches(promised, bytes))) return { integrity };
  return { integrity, changed: integrityText(promised) };
}

async function matches({ algorithm, digests }: Integrity, bytes: Uint8Array<ArrayBuffer>): Promise<boolean> {
  const text = await digestText(algorithm, bytes);
  return digests.some((digest) => `${algorithm}-${digest}` === text);
}

const NAMES: Readonly<Record<IntegrityAlgorithm, string>> = {
  sha256: 'SHA-256',
  sha384: 'SHA-384',
  sha512: 'SHA-512',
};

/** Worked out beside the thread that answers requests. */
async function digestText(algorithm: IntegrityAlgorithm, bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const digest = await crypto.subtle.digest(NAMES[algorithm], bytes);
  return `${algorithm}-${Buffer.from(digest).toString('base64')}`;
}
