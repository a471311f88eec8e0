import type { Naming } from '../../../component/naming.js';
import type { Handler } from '../../../lib/http/resource.js';
import { jsonText } from '../../../lib/http/response/json-text.js';
import type { Catalog } from '../../../registry/catalog.js';
import { hostOf } from '../../../web/page.js';
import { type PageParts, pageAnswer } from '../../page-answer.js';
import { nodesAsked } from '../listed/listed-page.js';
import { CLIENT_PATH, PUBLISH_PATH, publishPage } from './publish-view.js';

export interface PublishPageParts extends PageParts {
  readonly catalog: Catalog;
  readonly naming: Naming;
}

/** Shapes that are offered while somebody types. */
const OFFERED = 300;

/**
 * `GET /publish`: where authors describe a component, and their browser writes the description into their own pod. This
 * page alone may talk to any server, because pods are anywhere; its scripts are the node's own, as everywhere.
 */
export function getPublish({ catalog, naming, node }: PublishPageParts): Handler {
  return async () => {
    const view = node();
    const { by } = await catalog.counts({}, ['shapes'], OFFERED);
    const frequent = [...by.shapes].toSorted(([, one], [, other]) => other - one);
    const shapes = frequent.slice(0, OFFERED).map(([iri]) => iri);
    const nodes = await nodesAsked(view.baseUrl, catalog);
    // A node without https is tried out on somebody's own machine, and so is the pod.
    const connect = view.baseUrl.startsWith('https:') ? ['https:'] : ['https:', 'http:'];
    return pageAnswer(publishPage({ node: view, component: naming.vocabulary.component, shapes, nodes }), {
      connect,
    });
  };
}

/** `GET /publish/client`: the client identifier document, by which providers know who asks for a sign-in (Solid-OIDC, section 5.1). */
export function getClient({ node }: PageParts): Handler {
  return () => {
    const { baseUrl } = node();
    const document = {
      '@context': ['https://www.w3.org/ns/solid/oidc-context.jsonld'],
      client_id: baseUrl + CLIENT_PATH,
      client_name: `Component registry ${hostOf(baseUrl)}`,
      client_uri: baseUrl + PUBLISH_PATH,
      redirect_uris: [baseUrl + PUBLISH_PATH],
      scope: 'openid webid offline_access',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    };
    const headers = { 'content-type': 'application/ld+json', 'cache-control': 'no-cache' };
    return { status: 200, headers, body: jsonText(document) };
  };
}
