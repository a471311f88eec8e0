import type { Naming } from '../../component/naming.js';
import type { ListedAddress } from '../../component/network-list.js';
import { type NetworkTerm, networkQuads } from '../../component/network-list.js';
import { createQuadWriter } from '../../component/rdf/rdf-write.js';
import { chooseRepresentation } from '../../lib/http/headers/negotiate.js';
import type { Handler } from '../../lib/http/resource.js';
import type { Cacheable } from '../../lib/http/response/cacheable.js';
import { jsonText } from '../../lib/http/response/json-text.js';
import type { Catalog } from '../../registry/catalog.js';
import type { NetworkLists } from '../../registry/network-lists.js';
import type { Revision } from '../../registry/revision.js';
import { contentTypeOf, variantOf } from '../components/representation.js';

/** JSON lists the addresses; Turtle also says over how many hops, and through whom, each is known. */
export const NETWORK_TYPES = ['application/json', 'text/turtle'] as const;

export interface NetworkParts {
  readonly catalog: () => Catalog;
  readonly naming: Naming;
  readonly entityTag: (revision: Revision, variant: string) => string;
  readonly cacheable: Cacheable;
}

/** `GET /peers` and `GET /storage`. */
export function listNetwork(
  list: keyof NetworkLists,
  { catalog, naming, entityTag, cacheable }: NetworkParts,
): Handler {
  const term = list === 'peers' ? 'peer' : 'storage';
  return async (c) => {
    const type = chooseRepresentation(c.req.header('accept'), NETWORK_TYPES);
    const { networkRevision: revision } = await catalog().state();
    const network = await catalog().network();
    const variant = `${list}-${variantOf({ type, graphs: 'default' })}`;
    const validators = { etag: entityTag(revision, variant), since: revision.since };
    return cacheable.answer(c, validators, () => ({
      status: 200,
      headers: { 'content-type': contentTypeOf(type) },
      body: type === 'text/turtle' ? networkTurtle(term, network[list], naming) : addresses(network[list]),
    }));
  };
}

function addresses(entries: readonly ListedAddress[]): string {
  return jsonText(entries.map(({ url }) => url));
}

/** The list in Turtle: each address with its hops and the nodes through which it is known. */
function networkTurtle(term: NetworkTerm, entries: readonly ListedAddress[], naming: Naming): string {
  const writer = createQuadWriter('text/turtle', naming.vocabulary);
  return writer.write(networkQuads(term, entries, naming)) + writer.end();
}
