import { documentKey, Entry, type Origin, originOf, type Stamp } from '../catalog/entry.js';
import type { Naming } from '../component/naming.js';
import { pinText, sinceText } from '../component/writing/attribution.js';
import { inVocabulary, metadataOf, openingOf, servedParts } from '../component/writing/listing-text.js';
import { pinOf, type StoredPin } from '../core/pins.js';
import { sameAuthority } from '../core/precedence.js';
import type { Held } from './held.js';
import { pinRowKey } from './row-keys.js';
import type { StatementRow } from './rows.js';

/**
 * Makes of rows the entries of a catalog, in the names of a node. Documents have one origin, the same object while their authority is
 * the same; what came with one change shares one stamp, wherever it stands in the listing.
 * @param pins see `LoadedData` @param originBefore whose the document is in the catalog
 */
export function entryMaker(
  { baseUrl, vocabulary }: Naming,
  held: Held,
  pins: Pick<ReadonlyMap<string, StoredPin>, 'get' | 'size'>,
  originBefore?: (row: StatementRow) => Origin | undefined,
): (row: StatementRow) => Entry {
  const opening = Buffer.from(openingOf(baseUrl));
  const origins = new Map<string, Origin>();
  const stamps = new Map<number, Stamp>();
  let former: (Pick<Entry, 'origin' | 'pin' | 'since'> & { readonly provenance: Buffer }) | undefined;
  const originFor = (row: StatementRow) => {
    const key = documentKey(row);
    const known = origins.get(key);
    if (known) return known;
    const { source, document } = row;
    const authority = held.document(row)?.authority;
    const before = originBefore?.(row);
    const isSame = before && sameAuthority(before.authority, authority);
    const origin = isSame ? before : originOf({ source, document, authority }, held.precedence);
    origins.set(key, origin);
    return origin;
  };
  return (row) => {
    const { position, stamp: own, seal } = row;
    const origin = originFor(row);
    let stamp = stamps.get(own.at);
    if (stamp?.isUpdate !== own.isUpdate || stamp.since !== own.since) stamp = own;
    stamps.set(own.at, stamp);
    const seen = pins.size > 0 ? pins.get(pinRowKey(row.listed)) : undefined;
    // The metadata are parsed only where something was seen of the module.
    const pin = seen && pinOf(seen, { ...origin.standing, metadata: metadataOf(row.listed) });
    const since = stamp.since ?? stamp.at;
    // What comes with one change has the same members that say who says it, which are written once.
    if (former?.origin !== origin || former.since !== since || former.pin !== pin) {
      const provenance = Buffer.from(pinText(pin) + origin.text + sinceText(since));
      former = { origin, since, pin, provenance };
    }
    const listed = inVocabulary(row.listed, vocabulary);
    const parts = servedParts(listed, opening, former.provenance);
    return new Entry({ origin, position, stamp, seal, pin }, listed, parts);
  };
}
