import { sourceOfKey } from '../../component/source.js';
import type { SourceRecord } from '../../registry/source-record.js';
import { peerMemo } from './peer-memo.js';

/**
 * The pods that a peer reads itself and that have something to say, as `sourceKey`s: as its feed has told. Nothing is known
 * of a peer that is read by its listing.
 */
export function podsReadBy(record: SourceRecord | undefined): ReadonlySet<string> {
  const { cursor, lines = [] } = peerMemo(record).feed ?? {};
  if (cursor === undefined) return new Set();
  return new Set(lines.flatMap(([of, , count]) => (count > 0 && sourceOfKey(of).kind === 'pod' ? [of] : [])));
}
