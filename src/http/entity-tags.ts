import { createHash } from 'node:crypto';
import type { Revision } from '../registry/revision.js';

/**
 * Makes the entity tags of a node. A representation depends on more than the data: `shaping` is everything else
 * that it depends on (addresses, vocabulary, version of the software).
 */
export function entityTags(shaping: readonly string[]): (revision: Revision, variant: string) => string {
  let known = { epoch: '', fingerprint: '' };
  return ({ epoch, number }, variant) => {
    if (known.epoch !== epoch || known.fingerprint === '') {
      known = { epoch, fingerprint: fingerprintOf([epoch, ...shaping]) };
    }
    return `"${known.fingerprint}.${number}.${variant}"`;
  };
}

/** A short text that differs when any of the parts does. */
export function fingerprintOf(parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 16);
}
