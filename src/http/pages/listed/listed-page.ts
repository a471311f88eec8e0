import { parametersOf } from '../../../lib/http/request/url-parameters.js';
import type { Handler } from '../../../lib/http/resource.js';
import { withoutTrailingSlashes } from '../../../lib/trailing-slashes.js';
import type { Catalog } from '../../../registry/catalog.js';
import { sourceOf } from '../../../web/content-policy.js';
import { type PageParts, pageAnswer } from '../../page-answer.js';
import { readWebAddress } from '../web-address.js';
import { listedPage } from './listed-view.js';
import { MOST_ASKED } from './node-rows.js';

export interface ListedParts extends PageParts {
  readonly catalog: Catalog;
}

/** `GET /listed?uri=&node=`: which nodes list a component. This node asks nobody: a script on the page does. */
export function getListed({ catalog, node }: ListedParts): Handler {
  return async ({ req }) => {
    const parameters = parametersOf(req.url);
    const uri = readWebAddress(parameters, 'uri');
    const view = node();
    const also = withoutTrailingSlashes(readWebAddress(parameters, 'node'));
    const nodes = await nodesAsked(view.baseUrl, catalog, also === '' ? [] : [also]);
    const [served] = uri === '' ? [] : await catalog.statements(uri);
    const page = listedPage({ node: view, uri, label: served?.metadata.label, nodes });
    return pageAnswer(page, { connect: uri === '' ? [] : [...new Set(nodes.slice(1).map(sourceOf))] });
  };
}

/** This node, those that the visitor names, and those that it reads, the nearest first; without slashes at the end. */
export async function nodesAsked(
  baseUrl: string,
  catalog: Catalog,
  also: readonly string[] = [],
): Promise<string[]> {
  const { peers } = await catalog.network();
  const near = peers.toSorted((one, other) => one.hops - other.hops).map(({ url }) => url);
  return [...new Set([baseUrl, ...also, ...near].map(withoutTrailingSlashes))].slice(0, MOST_ASKED);
}
