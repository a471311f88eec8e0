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

/** As many as are kept, and one where there are more. What is no address is named among them. */
export type Addresses = Pick<ReadList, 'listed'>;

/** Reads a list of addresses. The specification names no media type for the JSON, and some nodes send none. */
export const addressTask: Task<AddressBody, Addresses> = {
  module: 'sync/peer/address-task.js',
  name: 'addressTask',
  async *run(body) {
    const all = body.mediaType === 'text/turtle' ? await inTurtle(body) : inJson(body.text);
    const kept = all.slice(0, MOST_LISTED.entries + 1).map(asKept);
    for (const listed of portions(kept, ({ url, via }) => [url, ...via].join('').length)) yield { listed };
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
