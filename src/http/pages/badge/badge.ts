import { Problem } from '../../../lib/http/problem.js';
import { parametersOf } from '../../../lib/http/request/url-parameters.js';
import type { Handler } from '../../../lib/http/resource.js';
import { hostOf } from '../../../web/page.js';
import type { Serving } from '../../representation.js';
import { findVersions } from '../../versions/find-versions.js';
import { standsFor } from '../../versions/version-groups.js';
import { badge } from './badge-picture.js';

/** The request headers that the answers depend on. */
export const BADGE_VARIES = ['if-none-match', 'if-modified-since'];

const HEADERS = {
  'content-type': 'image/svg+xml',
  // Opened as a page of its own, it can do nothing either.
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'",
};

/**
 * `GET /badge?uri=`: a badge that says whether a component is listed here, and in which version: the newest one, because
 * the badge stays on its author's page when the next version has an address of its own.
 */
export function getBadge({ naming, catalog, entityTag, cacheable, pace }: Serving): Handler {
  return async (c) => {
    const uri = parametersOf(c.req.url).get('uri') ?? '';
    if (uri === '') throw new Problem(422, 'Ask for the badge of a component: /badge?uri=<uri>');
    const { revision } = await catalog.state();
    const validators = { etag: entityTag(revision, 'badge'), since: revision.since, repeatable: true };
    return cacheable.answer(c, validators, async () => {
      const [served] = await catalog.statements(uri);
      const head = served && standsFor((await findVersions(served, catalog, pace)).versions);
      const { version } = head?.metadata ?? {};
      const listed = version ? `listed here, version ${version}` : 'listed here';
      const body = badge(hostOf(naming.baseUrl), served ? listed : 'not listed', served !== undefined);
      return { status: 200, headers: HEADERS, body };
    });
  };
}
