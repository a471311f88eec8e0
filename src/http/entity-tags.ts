import type { Revision, State } from '../catalog/catalog.js';
import type { Naming } from '../component/naming.js';
import { cursorOf, cursorText } from '../core/cursor.js';
import { shortHash } from '../lib/short-hash.js';

/** The tag of what there was at a revision, named in this way; `variant` tells its representations, and parts of it, apart. */
export type EntityTag = (
  naming: Naming,
  revision: Pick<Revision, 'epoch' | 'since'> & { readonly number: number | string },
  variant: string,
) => string;

/**
 * Makes the entity tags of a node. A representation depends on more than the data: on addresses, the vocabulary, and the version
 * of the software. The time of the revision is in the tag, too: a node that was put back to a backup comes to the same numbers
 * again, with other contents.
 */
export function entityTags(version: string): EntityTag {
  return ({ baseUrl, vocabulary }, { epoch, number, since }, variant) => {
    const fingerprint = fingerprintOf([epoch, String(since), baseUrl, vocabulary.namespace, version]);
    return `"${fingerprint}.${number}.${variant}"`;
  };
}

/** A short text that differs when any of the parts does. */
export function fingerprintOf(parts: readonly string[]): string {
  return shortHash(JSON.stringify(parts)).slice(0, 16);
}

/** The header by which an answer says what state it was made in. */
export function feedCursor(state: State): Record<string, string> {
  return { 'feed-cursor': cursorText(cursorOf(state)) };
}
