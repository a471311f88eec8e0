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
interface AddressBody extends RdfDocument {
  readonly term: NetworkTerm;
}

/**
 * Reads a list of addresses: as many as are kept, and one where there are more. What is no address is named among them. The
 * specification names no media type for the JSON, and some nodes send none.
 */
export const addressTask: Task<AddressBody, Partial<ReadList>> = {
  module: 'sync/peer/address-task.js',
  name: 'addressTask',
  async *run(body) {
    const isTurtle = body.mediaType === 'text/turtle';
    const { node, listed } = isTurtle ? await inTurtle(body) : { node: undefined, listed: inJson(body.text) };
    yield { node };
    const lengthOf = ({ url, via }: ListedAddress) => [url, ...via].join('').length;
    const kept = listed.slice(0, MOST_LISTED.entries + 1).map(asKept);
    for (const portion of portions(kept, lengthOf)) yield { listed: portion };
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

function asKept({ url, via, ...known }: ListedAddress): ListedAddress {
  return { ...known, url: usable(url) ?? shown(url), via: via.flatMap((one) => usable(one) ?? []) };
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
