import type { Naming } from '../../component/naming.js';
import type { ListedAddress } from '../../component/network-list.js';
import { type NetworkTerm, networkQuads } from '../../component/network-list.js';
import { createQuadWriter } from '../../component/rdf/rdf-write.js';
import { jsonLdNodes } from '../../component/writing/json-ld-object.js';
import type { NetworkLists } from '../../core/network-lists.js';
import { acceptedCodings } from '../../lib/http/headers/content-coding.js';
import { chooseRepresentation } from '../../lib/http/headers/negotiate.js';
import type { Handler } from '../../lib/http/resource.js';
import { jsonText } from '../../lib/http/response/json-text.js';
import { PageStore, pageOf } from '../page-store.js';
import {
  COMPONENT_TYPES,
  type ComponentType,
  contentTypeOf,
  type Serving,
  variantOf,
} from '../representation.js';
import type { LatestLists } from './latest-lists.js';

type RdfType = Exclude<ComponentType, 'application/json'>;

export interface NetworkParts extends Serving {
  readonly latestLists: LatestLists;
}

/** `GET /peers` and `GET /storage`. */
export function listNetwork(
  list: keyof NetworkLists,
  { catalog, latestLists, entityTag, cacheable }: NetworkParts,
): Handler {
  const term = list === 'peers' ? 'peer' : 'storage';
  const pages = new PageStore();
  return async (c) => {
    const type = chooseRepresentation(c.req.header('accept'), COMPONENT_TYPES);
    const state = await catalog.state();
    const { naming } = state;
    const revised = await latestLists.at(state);
    const { revision, lists } = revised;
    const coding = acceptedCodings(c.req.header('accept-encoding')).find((one) => one === 'gzip');
    const variant = `${list}-${variantOf({ type, graphs: 'default' })}${coding ? `-${coding}` : ''}`;
    const validators = {
      etag: entityTag(naming, revision, variant),
      since: revision.since,
      vary: 'Accept, Accept-Encoding',
    };
    return cacheable.answer(c, validators, async () => {
      const page = await pages.get(
        `${type} ${coding} ${naming.baseUrl} ${naming.vocabulary.namespace}`,
        revised,
        () => {
          const entries = lists[list];
          const text =
            type === 'application/json'
              ? jsonText(entries.map(({ url }) => url))
              : networkText(type, term, entries, naming);
          return pageOf(text, coding, () => ({ 'content-type': contentTypeOf(type) }));
        },
      );
      return { status: 200, headers: page.headers, body: page.send(), streams: true };
    });
  };
}

/** The list in RDF: each address with its hops and the nodes through which it is known. JSON has the addresses alone. */
function networkText(
  type: RdfType,
  term: NetworkTerm,
  entries: readonly ListedAddress[],
  naming: Naming,
): string {
  const quads = networkQuads(term, entries, naming);
  if (type === 'application/ld+json') return jsonText(jsonLdNodes(quads));
  const writer = createQuadWriter(type, naming.vocabulary);
  return writer.write(quads) + writer.end();
}
