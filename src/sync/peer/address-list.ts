import type { ListedAddress, NetworkTerm } from '../../component/network-list.js';
import { sameBaseUrl } from '../../config/url.js';
import { canParseUrl } from '../../lib/can-parse-url.js';
import { explain } from '../../lib/faults.js';
import { isParseFailure } from '../wrong.js';
import { readAddresses } from './address-task.js';
import { ADDRESSES, PLAIN_ADDRESSES } from './dialect.js';
import type { Fingerprint } from './fingerprint.js';
import { UNFOLLOWED } from './peer-failure.js';
import type { PeerPolling } from './peer-polling.js';
import { ITSELF, type PeerBody, type PeerFailure, TOO_SLOW } from './peer-request.js';

/** What of a poll is needed to read a list of addresses. */
type Asking = Pick<PeerPolling, 'dialect' | 'vocabulary' | 'self' | 'signal' | 'parsing'>;

export type AddressReading =
  | {
      readonly kind: 'whole';
      readonly entries: readonly ListedAddress[];
      readonly fingerprint: Fingerprint;
      /** Does it say how the entries are known? */
      readonly isTurtle: boolean;
    }
  | { readonly kind: 'unchanged'; readonly fingerprint: Fingerprint }
  | PeerFailure;

/** What is known of a list before it is asked for. */
export interface ListBefore {
  /** Of the state that was read last. */
  readonly fingerprint: Fingerprint;
  /** Was it Turtle, whatever state was read? */
  readonly wasTurtle: boolean;
}

/**
 * Reads a peer's `/peers` or `/storage` at a URL. A list that was Turtle before, and cannot be read as that now, is a failure: the
 * plain list says neither hops nor introducers, so that what others have told the peer would seem to be its own words.
 */
export async function fetchAddresses(
  url: string,
  term: NetworkTerm,
  { fingerprint, wasTurtle }: ListBefore,
  asking: Asking,
): Promise<AddressReading> {
  const { dialect, signal } = asking;
  const reading = await dialect.ask(url, ADDRESSES, fingerprint, signal);
  if (reading.kind !== 'whole') return reading;
  if (reading.next !== undefined) return UNFOLLOWED;
  if (wasTurtle && reading.mediaType !== TURTLE) return notTurtle(reading.mediaType);
  const read = await understood(reading, term, asking);
  const isUnreadable = read.kind === 'failed' && read.reason !== 'self' && reading.mediaType === TURTLE;
  if (!isUnreadable || wasTurtle) return read;
  // Turtle in words of its own: the list of the specification is JSON, and says the same.
  const plain = await dialect.ask(url, PLAIN_ADDRESSES, fingerprint, signal);
  if (plain.kind !== 'whole') return plain;
  return plain.next === undefined ? understood(plain, term, asking) : UNFOLLOWED;
}

const TURTLE = 'text/turtle';

function notTurtle(mediaType: string): PeerFailure {
  const now = mediaType || 'of no media type';
  return {
    kind: 'failed',
    message: `it was Turtle before and is ${now} now, which does not say how its entries are known; if that is meant, start once without this peer in the configuration`,
  };
}

/** What a list says of itself (`<>`) is the same, whatever part of it was asked for. */
function withoutQuery(url: string): string {
  return url.replace(/[?#].*$/s, '');
}

async function understood(
  { text, mediaType, url, fingerprint }: PeerBody,
  term: NetworkTerm,
  { vocabulary, self, parsing, signal }: Asking,
): Promise<AddressReading> {
  try {
    const { namespace } = vocabulary;
    const { node, entries } = await readAddresses(
      { text, mediaType, baseIri: withoutQuery(url), namespace, term },
      parsing,
    );
    if (node !== undefined && canParseUrl(node) && sameBaseUrl(node) === sameBaseUrl(self)) return ITSELF;
    return { kind: 'whole', entries, fingerprint, isTurtle: mediaType === TURTLE };
  } catch (error) {
    if (!isParseFailure(error)) throw error;
    return { kind: 'failed', message: signal.aborted ? TOO_SLOW : explain(error) };
  }
}
