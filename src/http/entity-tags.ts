import { createHash } from 'node:crypto';
import type { Revision } from '../registry/revision.js';

/** The tag of a representation of what there was at a revision; or of a part of it, which a text tells from all others. */
export type EntityTag = (
  revision: Pick<Revision, 'epoch'> & { readonly number: number | string },
  variant: string,
) => string;

/**
 * Makes the entity tags of a node. A representation depends on more than the data: `shaping` is everything else
 * that it depends on (addresses, vocabulary, version of the software).
 */
export function entityTags(shaping: readonly string[]): EntityTag {
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
