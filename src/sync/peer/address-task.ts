import {
  addressesFromJson,
  type ListedAddress,
  listIn,
  MOST_LISTED,
  type NetworkTerm,
  type ReadList,
} from '../../component/network-list.js';
import { parseRdf, type RdfDocument } from '../../component/rdf/rdf-parse.js';
import { createVocabulary } from '../../component/vocabulary.js';
import { isHttpUrl } from '../../config/url.js';
import { parseBoundedJson } from '../../lib/bounded-json.js';
import { canParseUrl } from '../../lib/can-parse-url.js';
import { MalformedInput } from '../../lib/faults.js';
import { isAbsoluteIri, percentEncoded } from '../../lib/iri.js';
import type { Task } from '../../lib/pool/task.js';
import { portions } from '../../lib/portions.js';

/** A body of `/peers` or `/storage`. */
export interface AddressBody extends RdfDocument {
  readonly term: NetworkTerm;
}

export interface Addresses {
  /** What the node that lists them calls itself, if it says so. */
  readonly node?: string;
  /** Those that are worth keeping: one more than is kept, where there are more. */
  readonly entries: readonly ListedAddress[];
}

/** Reads a list of addresses; the specification names no media type for the JSON, and some nodes send none. */
export const addressTask: Task<AddressBody, Partial<Addresses>> = {
  module: 'sync/peer/address-task.js',
  name: 'addressTask',
  async *run(body) {
    const isTurtle = body.mediaType === 'text/turtle';
    const { node, listed } = isTurtle ? await inTurtle(body) : { node: undefined, listed: inJson(body.text) };
    yield { node };
    const lengthOf = ({ url, via }: ListedAddress) => [url, ...via].join('').length;
    for (const entries of portions(usableEntries(listed), lengthOf)) yield { entries };
  },
};

async function inTurtle(body: AddressBody): Promise<ReadList> {
  const quads = await parseRdf(body);
  const list = listIn(quads, body.term, createVocabulary(body.namespace));
  if (quads.length > 0 && list.node === undefined && list.listed.length === 0)
    throw new MalformedInput(`it lists nothing in the vocabulary <${body.namespace}>`);
  return list;
}

function inJson(text: string): readonly ListedAddress[] {
  const listed = addressesFromJson(parseBoundedJson(text));
  if (!listed) throw new MalformedInput('it is JSON, but no array of addresses');
  return listed;
}

/** Characters of a URL that is kept. */
const LONGEST_URL = 2048;

/** The entries of a list that are worth keeping, in the order in which they were listed; it is read no further than needed. */
function* usableEntries(listed: Iterable<ListedAddress>): Generator<ListedAddress> {
  let count = 0;
  for (const { url, via, ...known } of listed) {
    if (count > MOST_LISTED.entries) break;
    const address = usable(url);
    if (address === undefined) continue;
    count += 1;
    yield { ...known, url: address, via: via.flatMap((one) => usable(one) ?? []).filter(isAbsoluteIri) };
  }
}

/**
 * An address that is worth keeping. What no IRI may have is percent-encoded here, and nowhere later; where that does not make an
 * IRI of it, it is refused by name.
 */
function usable(url: string): string | undefined {
  if (url.length > LONGEST_URL || url.includes('#')) return undefined;
  const encoded = percentEncoded(url);
  if (isHttpUrl(encoded)) return encoded;
  return !isAbsoluteIri(url) && /^https?:\/\/[^/]/i.test(url) && canParseUrl(url) ? url : undefined;
}
