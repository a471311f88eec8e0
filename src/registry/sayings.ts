import { documentKey, type Origin, originOf, type Said, type Stamp } from '../catalog/entry.js';
import type { PinSubject } from '../component/pin.js';
import { metadataOf } from '../component/writing/listing-text.js';
import { pinOf, type StoredPin } from '../core/pins.js';
import { sameAuthority } from '../core/precedence.js';
import type { Held } from './held.js';
import type { StatementRow } from './rows.js';

/** What has been seen of modules. */
export type SeenOf = (subject: PinSubject) => StoredPin | undefined;

/**
 * Makes of rows what a catalog takes. Documents have one origin, the same object while their authority is the same; what came with
 * one change shares one stamp, wherever it stands in the listing.
 * @param originBefore whose a document is in the catalog, by its key
 */
export function sayings(held: Held, seenOf: SeenOf, originBefore?: (key: string) => Origin | undefined) {
  const origins = new Map<string, Origin>();
  const stamps = new Map<number, Stamp>();
  return ({ source, document, listed, position, stamp: own }: StatementRow, seal: number): Said => {
    const key = documentKey({ source, document });
    let origin = origins.get(key);
    if (!origin) {
      const authority = held.document({ source, document })?.authority;
      const before = originBefore?.(key);
      const isSame = before && sameAuthority(before.authority, authority);
      origin = isSame ? before : originOf({ source, document, authority }, held.precedence);
      origins.set(key, origin);
    }
    let stamp = stamps.get(own.at);
    if (stamp?.isUpdate !== own.isUpdate || stamp.since !== own.since) stamp = own;
    stamps.set(own.at, stamp);
    const seen = seenOf(listed);
    // The metadata are parsed only where something was seen of the module.
    const pin = seen && pinOf(seen, { ...origin.standing, metadata: metadataOf(listed) });
    return { origin, listed, position, stamp, seal, pin };
  };
}
