import { isHttpUrl } from '../../config/url.js';
import { parseBoundedJson } from '../../lib/bounded-json.js';
import { excerpt } from '../../lib/excerpt.js';
import { MalformedInput } from '../../lib/faults.js';
import { percentEncoded } from '../../lib/iri.js';
import type { Task } from '../../lib/pool/task.js';
import {
  addressesFromJson,
  type ListedAddress,
  listIn,
  MOST_LISTED,
  type NetworkTerm,
} from '../network-list.js';
import { parseRdf, type RdfDocument } from '../rdf/rdf-parse.js';
import { createVocabulary } from '../vocabulary.js';

/** A body of `/peers` or `/storage`. */
interface AddressBody extends RdfDocument {
  readonly term: NetworkTerm;
}

/**
 * Reads a list of addresses, as many as are kept, and one where there are more; what is no address is named among them. The
 * specification names no media type for the JSON, and some nodes send none.
 */
export const addressTask: Task<AddressBody, { readonly listed: readonly ListedAddress[] }> = {
  module: 'component/reading/address-task.js',
  name: 'addressTask',
  async run(body) {
    const all = body.mediaType === 'text/turtle' ? await inTurtle(body) : inJson(body.text);
    return { listed: all.slice(0, MOST_LISTED.entries + 1).map(asKept) };
  },
};

async function inTurtle(body: AddressBody): Promise<readonly ListedAddress[]> {
  const quads = await parseRdf(body);
  const { node, listed } = listIn(quads, body.term, createVocabulary(body.namespace));
  if (quads.length > 0 && node === undefined && listed.length === 0)
    throw new MalformedInput(`it lists nothing in the vocabulary <${body.namespace}>`);
  return listed;
}

function inJson(text: string): readonly ListedAddress[] {
  const listed = addressesFromJson(parseBoundedJson(text));
  if (!listed) throw new MalformedInput('it is JSON, but no array of addresses');
  return listed;
}

/** Characters of a URL that is kept. */
const LONGEST_URL = 2048;

/** What is no address is refused by name (`takeAddress`): without its secrets, cut where it is too long. */
function asKept({ url, via, ...known }: ListedAddress): ListedAddress {
  const shown = url.replace(/\/\/[^/]*@/, '//…@');
  const named = url.length > LONGEST_URL ? excerpt(shown) : shown;
  return { ...known, url: usable(url) ?? named, via: via.flatMap((one) => usable(one) ?? []) };
}

/** An address that can be read. What no IRI may have is percent-encoded here, and nowhere later. */
function usable(url: string): string | undefined {
  const encoded = percentEncoded(url);
  return url.length <= LONGEST_URL && isHttpUrl(encoded) ? encoded : undefined;
}
