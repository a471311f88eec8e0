import type { Naming } from '../../component/naming.js';
import type { ListedAddress } from '../../component/network-list.js';
import { type NetworkTerm, networkObject, networkQuads } from '../../component/network-list.js';
import { createQuadWriter } from '../../component/rdf/rdf-write.js';
import type { NetworkLists } from '../../core/network-lists.js';
import { acceptedCodings } from '../../lib/http/headers/content-coding.js';
import { chooseRepresentation } from '../../lib/http/headers/negotiate.js';
import { Problem } from '../../lib/http/problem.js';
import { parametersOf } from '../../lib/http/request/url-parameters.js';
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
import { entriesWithin, type ListScopes, MOST_HOPS, type Scope, scopeIn } from './list-scopes.js';

type RdfType = Exclude<ComponentType, 'application/json'>;

export interface NetworkParts extends Serving {
  readonly listScopes: ListScopes;
}

/** `GET /peers` and `GET /storage`, whole or (`hops`) as far as a reader can use them. */
export function listNetwork(
  list: keyof NetworkLists,
  { catalog, listScopes, naming, entityTag, cacheable }: NetworkParts,
): Handler {
  const term = list === 'peers' ? 'peer' : 'storage';
  const pages = new PageStore();
  return async (c) => {
    const type = chooseRepresentation(c.req.header('accept'), COMPONENT_TYPES);
    const scope = scopeAsked(parametersOf(c.req.url));
    const scoped = await listScopes.at(await catalog.state());
    const revision = scoped.revision(scope);
    const coding = acceptedCodings(c.req.header('accept-encoding')).find((one) => one === 'gzip');
    const variant = `${list}-${variantOf({ type, graphs: 'default' })}${coding ? `-${coding}` : ''}`;
    const etag =
      scope === undefined
        ? entityTag(revision, variant)
        : entityTag(
            { epoch: revision.epoch, number: scoped.fingerprint(list, scope), since: 0 },
            `${variant}-hops${scope}`,
          );
    const validators = { etag, since: revision.since, vary: 'Accept, Accept-Encoding' };
    return cacheable.answer(c, validators, async () => {
      const page = await pages.get(`${type} ${scope} ${coding}`, scoped, () => {
        const entries = entriesWithin(scoped.lists[list], scope);
        const text =
          type === 'application/json'
            ? jsonText(entries.map(({ url }) => url))
            : networkText(type, term, entries, naming);
        return pageOf(text, coding, () => ({ 'content-type': contentTypeOf(type) }));
      });
      return { status: 200, headers: page.headers, body: page.send(), streams: true };
    });
  };
}

/** Other parameters mean nothing here. @throws Problem 400 */
function scopeAsked(parameters: URLSearchParams): Scope {
  const asked = parameters.getAll('hops');
  if (asked.length === 0) return undefined;
  const scope = asked.length === 1 ? scopeIn(asked[0] ?? '') : undefined;
  if (scope === undefined) {
    throw new Problem(400, `The parameter hops must be one whole number from 0 to ${MOST_HOPS}`);
  }
  return scope;
}

/** The list in RDF: each address with its hops and the nodes through which it is known. JSON has the addresses alone. */
function networkText(
  type: RdfType,
  term: NetworkTerm,
  entries: readonly ListedAddress[],
  naming: Naming,
): string {
  if (type === 'application/ld+json') return jsonText([networkObject(term, entries, naming)]);
  const writer = createQuadWriter(type, naming.vocabulary);
  return writer.write(networkQuads(term, entries, naming)) + writer.end();
}
