import type { ListedAddress, NetworkTerm } from '../../component/network-list.js';
import type { Vocabulary } from '../../component/vocabulary.js';
import { sameBaseUrl } from '../../config/url.js';
import { canParseUrl } from '../../lib/can-parse-url.js';
import { explain } from '../../lib/faults.js';
import type { Parsing } from '../../lib/pool/task.js';
import { isParseFailure } from '../sync-source.js';
import { readAddresses } from './address-task.js';
import { ADDRESSES, type Dialect, PLAIN_ADDRESSES } from './dialect.js';
import type { Fingerprint } from './fingerprint.js';
import type { PeerBody, PeerFailure, PeerProgress } from './peer-request.js';

export interface AddressQuestion {
  readonly url: string;
  readonly term: NetworkTerm;
  readonly vocabulary: Vocabulary;
  /** The URL of the node that asks. */
  readonly self: string;
  readonly dialect: Dialect;
  readonly known: Fingerprint;
  readonly progress: PeerProgress;
  readonly parsing: Parsing;
}

export type AddressReading =
  | { readonly kind: 'whole'; readonly entries: readonly ListedAddress[]; readonly mark: Fingerprint }
  | { readonly kind: 'unchanged'; readonly mark: Fingerprint }
  | PeerFailure;

/** Reads a peer's `/peers` or `/storage`. */
export async function fetchAddresses(question: AddressQuestion): Promise<AddressReading> {
  const { url, dialect, known, progress } = question;
  const reading = await dialect.ask(url, ADDRESSES, known, progress);
  const read = reading.kind === 'whole' ? await understood(reading, question) : reading;
  if (read.kind !== 'failed' || reading.kind !== 'whole' || reading.mediaType !== TURTLE) return read;
  // Turtle in words of its own: the list of the specification is JSON, and says the same.
  const plain = await dialect.ask(url, PLAIN_ADDRESSES, known, progress);
  return plain.kind === 'whole' ? understood(plain, question) : plain;
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
  { text, mediaType, url, mark }: PeerBody,
  { term, vocabulary, self, parsing }: AddressQuestion,
): Promise<AddressReading> {
  try {
    const { namespace } = vocabulary;
    const { node, entries } = await readAddresses(
      { text, mediaType, baseIri: withoutQuery(url), namespace, term },
      parsing,
    );
    if (node !== undefined && canParseUrl(node) && sameBaseUrl(node) === sameBaseUrl(self)) return ITSELF;
    return { kind: 'whole', entries, mark };
  } catch (error) {
    if (!isParseFailure(error)) throw error;
    return { kind: 'failed', message: explain(error) };
  }
}
