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
import { MalformedInput } from '../../lib/faults.js';
import { percentEncoded } from '../../lib/iri.js';
import type { Task } from '../../lib/pool/task.js';
import { portions } from '../../lib/portions.js';

/** A body of `/peers` or `/storage`. */
export interface AddressBody extends RdfDocument {
  readonly term: NetworkTerm;
}

export interface Addresses {
  /** What the node that lists them calls itself, if it says so. */
  readonly node?: string;
  /** As many as are kept, and one where there are more. What is no address is named among them. */
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
    for (const entries of portions(entriesOf(listed), lengthOf)) yield { entries };
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

/** Characters of a URL that is kept, and of what is shown of a longer one. */
const [LONGEST_URL, LONGEST_SHOWN] = [2048, 200];

/** The entries of a list in the order in which they were listed; it is read no further than needed. */
function* entriesOf(listed: Iterable<ListedAddress>): Generator<ListedAddress> {
  let count = 0;
  for (const { url, via, ...known } of listed) {
    if (count > MOST_LISTED.entries) break;
    count += 1;
    const introducers = via.flatMap((one) => usable(one) ?? []);
    yield { ...known, url: usable(url) ?? shown(url), via: introducers };
  }
}

/** An address that can be read. What no IRI may have is percent-encoded here, and nowhere later. */
function usable(url: string): string | undefined {
  const encoded = percentEncoded(url);
  return url.length <= LONGEST_URL && isHttpUrl(encoded) ? encoded : undefined;
}

/** What is no address is refused by name (`takeAddress`): without the secrets in it, and cut where it is long. */
function shown(text: string): string {
  const open = text.replace(/\/\/[^/]*@/, '//…@');
  return open.length > LONGEST_URL ? `${open.slice(0, LONGEST_SHOWN)} …` : open;
}
