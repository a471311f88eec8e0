import {
  addressesFromJson,
  addressesFromQuads,
  type ListedAddress,
  type NetworkTerm,
  nodeOfQuads,
} from '../../component/network-list.js';
import { parseRdf } from '../../component/rdf-parse.js';
import type { Vocabulary } from '../../component/vocabulary.js';
import { sameBaseUrl } from '../../config/url.js';
import { explain, MalformedInput } from '../../lib/faults.js';
import { usableEntries } from '../introduction.js';
import { ADDRESSES, type Dialect, PLAIN_ADDRESSES } from './dialect.js';
import { parsedJson } from './json-listing.js';
import type { Mark, PeerBody, PeerFailure, PeerProgress } from './peer-request.js';

export interface AddressQuestion {
  readonly url: string;
  readonly term: NetworkTerm;
  readonly vocabulary: Vocabulary;
  /** The URL of the node that asks. */
  readonly self: string;
  readonly dialect: Dialect;
  readonly known: Mark;
  readonly progress: PeerProgress;
}

export type AddressReading =
  | { readonly kind: 'whole'; readonly entries: readonly ListedAddress[]; readonly mark: Mark }
  | { readonly kind: 'unchanged' }
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

async function understood(
  reading: PeerBody,
  { term, vocabulary, self }: AddressQuestion,
): Promise<AddressReading> {
  try {
    const { node, listed } = await addressesIn(reading, term, vocabulary);
    if (node !== undefined && URL.canParse(node) && sameBaseUrl(node) === sameBaseUrl(self)) return ITSELF;
    return { kind: 'whole', entries: usableEntries(listed), mark: reading.mark };
  } catch (error) {
    if (!(error instanceof MalformedInput)) throw error;
    return { kind: 'failed', message: explain(error) };
  }
}

interface Addresses {
  /** What the node that lists them calls itself, if it says so. */
  readonly node?: string | undefined;
  readonly listed: readonly ListedAddress[];
}

/** The specification names no media type for the JSON, and some nodes send none. @throws MalformedInput */
async function addressesIn(
  { text, mediaType, url }: PeerBody,
  term: NetworkTerm,
  vocabulary: Vocabulary,
): Promise<Addresses> {
  if (mediaType === TURTLE) {
    const quads = await parseRdf(text, { mediaType, baseIri: url, vocabulary });
    const node = nodeOfQuads(quads, vocabulary);
    const listed = addressesFromQuads(quads, term, vocabulary);
    if (quads.length === 0 || node !== undefined || listed.length > 0) return { node, listed };
    throw new MalformedInput(`it lists nothing in the vocabulary <${vocabulary.namespace}>`);
  }
  const listed = addressesFromJson(parsedJson(text));
  if (!listed) throw new MalformedInput('it is JSON, but no array of addresses');
  return { listed };
}
