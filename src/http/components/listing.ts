import { nextLink } from '../../lib/http/request/page-parameters.js';
import { readJsonBody } from '../../lib/http/request/request-body.js';
import { parametersOf } from '../../lib/http/request/url-parameters.js';
import type { Handler } from '../../lib/http/resource.js';
import { feedCursor } from '../entity-tags.js';
import { chosenRepresentation, contentTypeOf, pageBody, type Serving, variantOf } from '../representation.js';
import { readConstraints, readOptions, readSelection } from './selection.js';

/** `GET /component`: everything, a page of it, or what the parameters select. */
export function listComponents({ catalog, cacheable, pace, entityTag }: Serving): Handler {
  return async (c) => {
    const { req } = c;
    const parameters = parametersOf(req.url);
    const state = await catalog.state();
    const { query, page: part, ...options } = readSelection(parameters, state.naming);
    const representation = chosenRepresentation(req.header('accept'), options);
    const validators = (at: typeof state) => ({
      etag: entityTag(at.naming, at.revision, variantOf(representation)),
      since: at.revision.since,
      repeatable: true,
      about: feedCursor(at),
    });
    const unchanged = cacheable.unchanged(c, validators(state));
    if (unchanged) return unchanged;
    const page = await catalog.page(query, { ...part, shadowed: representation.graphs === 'all' });
    return cacheable.fresh(validators(page.state), {
      status: 200,
      headers: {
        'content-type': contentTypeOf(representation.type),
        ...nextLink(`${page.state.naming.baseUrl}/component`, parameters, page.next),
      },
      body: await pageBody(page, representation, pace),
      streams: true,
    });
  };
}

/** Four lists of 64 values and some single ones make a query; looking at thousands of names would keep others waiting. */
export const QUERY_BOUNDS = { depth: 10, members: 1000 } as const;

/** `POST /component/query`: the components that meet the constraints in the body. `limit`: bytes of the body. */
export function queryComponents(
  { catalog, pace }: Pick<Serving, 'catalog' | 'pace'>,
  limit: number,
): Handler {
  return async (c) => {
    const parameters = parametersOf(c.req.url);
    const { page: part, ...options } = readOptions(parameters);
    const representation = chosenRepresentation(c.req.header('accept'), options);
    const { naming } = await catalog.state();
    const query = readConstraints(await readJsonBody(c.req, limit, QUERY_BOUNDS), naming);
    const page = await catalog.page(query, { ...part, shadowed: representation.graphs === 'all' });
    return {
      status: 200,
      headers: {
        vary: 'Accept',
        'cache-control': 'no-cache',
        'content-type': contentTypeOf(representation.type),
        ...nextLink(`${page.state.naming.baseUrl}/component/query`, parameters, page.next),
      },
      body: await pageBody(page, representation, pace),
      streams: true,
      repeatable: true,
    };
  };
}
