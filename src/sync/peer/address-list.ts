import type { ListedAddress, NetworkTerm } from '../../component/network-list.js';
import { sameBaseUrl } from '../../config/url.js';
import { canParseUrl } from '../../lib/can-parse-url.js';
import { explain } from '../../lib/faults.js';
import { isParseFailure } from '../sync-source.js';
import { readAddresses } from './address-task.js';
import { ADDRESSES, PLAIN_ADDRESSES } from './dialect.js';
import type { Fingerprint } from './fingerprint.js';
import type { PeerPolling } from './peer-polling.js';
import type { PeerBody, PeerFailure } from './peer-request.js';

/** What of a poll is needed to read a list of addresses. */
type Asking = Pick<PeerPolling, 'dialect' | 'vocabulary' | 'self' | 'progress' | 'parsing'>;

export type AddressReading =
  | { readonly kind: 'whole'; readonly entries: readonly ListedAddress[]; readonly fingerprint: Fingerprint }
  | { readonly kind: 'unchanged'; readonly fingerprint: Fingerprint }
  | PeerFailure;

/** Reads a peer's `/peers` or `/storage` at a URL. `before`: of the state that was read last. */
export async function fetchAddresses(
  url: string,
  term: NetworkTerm,
  before: Fingerprint,
  asking: Asking,
): Promise<AddressReading> {
  const { dialect, progress } = asking;
  const reading = await dialect.ask(url, ADDRESSES, before, progress);
  const read = reading.kind === 'whole' ? await understood(reading, term, asking) : reading;
  if (read.kind !== 'failed' || reading.kind !== 'whole' || reading.mediaType !== TURTLE) return read;
  // Turtle in words of its own: the list of the specification is JSON, and says the same.
  const plain = await dialect.ask(url, PLAIN_ADDRESSES, before, progress);
  return plain.kind === 'whole' ? understood(plain, term, asking) : plain;
}

const TURTLE = 'text/turtle';

/** A node that took its own statements for a peer's would keep what is deleted from it. */
const ITSELF: PeerFailure = {
  kind: 'failed',
  reason: 'self',
  message: 'this is the node itself, by another name than its baseUrl; it is not read',
};

/** What a list says of itself (`<>`) is the same, whatever part of it was asked for. */
function withoutQuery(url: string): string {
  return url.replace(/[?#].*$/s, '');
}

async function understood(
  { text, mediaType, url, fingerprint }: PeerBody,
  term: NetworkTerm,
  { vocabulary, self, parsing }: Asking,
): Promise<AddressReading> {
  try {
    const { namespace } = vocabulary;
    const { node, entries } = await readAddresses(
      { text, mediaType, baseIri: withoutQuery(url), namespace, term },
      parsing,
    );
    if (node !== undefined && canParseUrl(node) && sameBaseUrl(node) === sameBaseUrl(self)) return ITSELF;
    return { kind: 'whole', entries, fingerprint };
  } catch (error) {
    if (!isParseFailure(error)) throw error;
    return { kind: 'failed', message: explain(error) };
  }
}
