import type { Naming } from '../../component/naming.js';
import { type ListedAddress, type NetworkTerm, networkQuads } from '../../component/network-list.js';
import { createQuadWriter } from '../../component/rdf/rdf-write.js';
import { jsonLdNodes } from '../../component/writing/json-ld-nodes.js';
import type { NetworkLists } from '../../core/network-lists.js';
import { ANY_ORIGIN } from '../../lib/http/headers/cors.js';
import { chooseRepresentation } from '../../lib/http/headers/negotiate.js';
import { jsonText } from '../../lib/http/json-answer.js';
import { listOf, TEXT } from '../../lib/http/openapi-parts.js';
import type { Handler } from '../../lib/http/resource.js';
import { feedCursor } from '../entity-tags.js';
import { content, type Feature } from '../openapi.js';
import { get } from '../own-resource.js';
import {
  COMPONENT_TYPES,
  type ComponentType,
  contentTypeOf,
  type Serving,
  variantOf,
} from '../representation.js';

/** The nodes and pods that this node knows. */
export function networkFeature(parts: Serving): Feature {
  const list = (name: keyof NetworkLists, id: string, summary: string) =>
    get(`/${name}`, getList(name, parts), {
      cors: ANY_ORIGIN,
      ...{ id, summary },
      description: 'RDF says how each is known: over how many hops, and through whom.',
      answers: { 200: content(COMPONENT_TYPES, listOf({ ...TEXT, format: 'uri' })), 304: undefined },
      refuses: [406, 503],
    });
  return {
    tag: { name: 'network', description: 'The nodes and pods that this node knows' },
    routes: [
      list('peers', 'listPeers', 'The nodes that this node trusts and synchronises with'),
      list('storage', 'listStorage', 'The pods that this node knows'),
    ],
  };
}

/** `GET /peers` and `GET /storage`. */
function getList(list: keyof NetworkLists, { catalog, entityTag, cacheable }: Serving): Handler {
  const term = list === 'peers' ? 'peer' : 'storage';
  return async (c) => {
    const type = chooseRepresentation(c.req.header('accept'), COMPONENT_TYPES);
    const state = await catalog.state();
    const { naming, network, networkRevision } = state;
    const etag = entityTag(naming, networkRevision, `${list}-${variantOf({ type, graphs: 'default' })}`);
    const validators = { etag, since: networkRevision.since, about: feedCursor(state) };
    return cacheable.answer(c, validators, () => ({
      status: 200,
      headers: { 'content-type': contentTypeOf(type) },
      body: listText(type, term, network[list], naming),
      streams: true,
    }));
  };
}

/** JSON has the addresses alone; RDF says of each its hops and the nodes through which it is known. */
function listText(
  type: ComponentType,
  term: NetworkTerm,
  entries: readonly ListedAddress[],
  naming: Naming,
): string {
  if (type === 'application/json') return jsonText(entries.map(({ url }) => url));
  const quads = networkQuads(term, entries, naming);
  if (type === 'application/ld+json') return jsonText(jsonLdNodes(quads));
  const writer = createQuadWriter(type, naming.vocabulary);
  return writer.write(quads) + writer.end();
}
