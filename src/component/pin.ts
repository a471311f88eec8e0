import { createHash } from 'node:crypto';
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
export function observed(known: Pin | undefined, bytes: Uint8Array, promise: string | undefined): Pin {
  const seen = digestText('sha384', bytes);
  const integrity = known?.integrity ?? promised(promise) ?? seen;
  if (!matches(integrity, bytes)) return { integrity, changed: seen };
  const other = promised(promise);
  return other === undefined || matches(other, bytes) ? { integrity } : { integrity, changed: other };
}

function promised(text: string | undefined): string | undefined {
  const integrity = text === undefined ? undefined : parseIntegrity(text);
  return integrity && integrityText(integrity);
}

function matches(text: string, bytes: Uint8Array): boolean {
  const integrity: Integrity | undefined = parseIntegrity(text);
  if (!integrity) return false;
  const { algorithm } = integrity;
  return integrity.digests.some((digest) => `${algorithm}-${digest}` === digestText(algorithm, bytes));
}

function digestText(algorithm: IntegrityAlgorithm, bytes: Uint8Array): string {
  return `${algorithm}-${createHash(algorithm).update(bytes).digest('base64')}`;
}
