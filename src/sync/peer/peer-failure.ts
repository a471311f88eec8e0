import type { DocumentRecord } from '../../core/document-record.js';
import type { ReadFailure } from '../../core/reading.js';
import type { StoredDocument } from '../../core/source-record.js';
import { grouped } from '../../lib/grouped.js';
import type { PeerFailure } from './peer-request.js';

/**
 * What went wrong, by path, for the operator; what went wrong in the same way is said once. What the peer said
 * before is served meanwhile.
 */
export function pollFailure(failures: ReadonlyMap<string, PeerFailure>): ReadFailure | undefined {
  if (failures.size === 0) return undefined;
  const same = grouped(failures, ([, failure]) => failure.message);
  const message = [...same]
    .map(([said, all]) => `GET ${all.map(([path]) => path).join(', ')}: ${said}`)
    .join('; ');
  const notBefore = Math.max(...[...failures.values()].map((failure) => failure.notBefore ?? 0));
  const permanent = [...failures.values()].every(isPermanent);
  return { message, notBefore: notBefore || undefined, permanent: permanent || undefined };
}

/** Will it stay what it is until somebody changes the peer or the configuration? */
function isPermanent({ reason, status = 0 }: PeerFailure): boolean {
  return reason === 'refused' || reason === 'self' || [401, 403, 404, 410].includes(status);
}

/** Why a listing that names more documents than are taken from one peer is not taken at all. */
export function tooManyDocuments(maxDocuments: number): string {
  return `it names more than ${maxDocuments} documents: raise sync.maxDocuments (${maxDocuments}) to take them`;
}

/** Nothing of a document is taken: what was stored of it stays, and the status tells why. @param now ms since the epoch */
export function refusedRecord(
  stored: StoredDocument | undefined,
  error: string,
  now: number,
): DocumentRecord {
  const { components: _, ...kept } = stored ?? { components: 0 };
  return { ...kept, error, failingSince: kept.failingSince ?? now };
}
