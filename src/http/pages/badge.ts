import { html } from 'hono/html';
import { Problem } from '../../lib/http/problem.js';
import { parametersOf } from '../../lib/http/request/url-parameters.js';
import type { Handler } from '../../lib/http/resource.js';
import { hostOf } from '../../web/page.js';
import type { Serving } from '../representation.js';
import { findVersions } from '../versions/find-versions.js';
import { standsFor } from '../versions/version-groups.js';

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

/** Units that a character takes on average, of letters as high as 11 units; and beside the text. */
const [CHARACTER, BESIDE] = [6.4, 7] as const;
const HEIGHT = 20;
/** Longest text of one half, in characters. */
const LONGEST = 40;

/**
 * A badge as SVG, for the page of an author: `left` says where, `right` what. It has no links and no scripts, so it may be
 * shown as a picture on any page.
 */
function badge(left: string, right: string, isGood: boolean): string {
  const halves = [left, right].map((text) =>
    text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text,
  );
  const [where = '', what = ''] = halves;
  const [first, second] = [widthOf(where), widthOf(what)];
  const middle = HEIGHT - 6;
  return String(html`<svg xmlns="http://www.w3.org/2000/svg" width="${first + second}" height="${HEIGHT}" role="img" aria-label="${left}: ${right}">
<title>${left}: ${right}</title>
<rect width="${first + second}" height="${HEIGHT}" rx="4" fill="#3c3a36"/>
<path d="M${first} 0h${second - 4}a4 4 0 0 1 4 4v12a4 4 0 0 1-4 4H${first}z" fill="${isGood ? '#0b5c66' : '#64605a'}"/>
<g fill="#fff" font-family="system-ui,Verdana,sans-serif" font-size="11" text-anchor="middle">
<text x="${first / 2}" y="${middle}" textLength="${first - 2 * BESIDE}" lengthAdjust="spacingAndGlyphs">${where}</text>
<text x="${first + second / 2}" y="${middle}" textLength="${second - 2 * BESIDE}" lengthAdjust="spacingAndGlyphs">${what}</text>
</g></svg>
`);
}

function widthOf(text: string): number {
  return Math.round([...text].length * CHARACTER) + 2 * BESIDE;
}
