import { STABLE_ASSETS } from '../../config/own-paths.js';
import { taggedAnswer } from '../../lib/http/cacheable.js';
import { ANY_ORIGIN } from '../../lib/http/headers/cors.js';
import { Problem } from '../../lib/http/problem.js';
import type { Handler, RouteContext } from '../../lib/http/resource.js';
import type { OwnResource } from '../own-resource.js';
import type { Assets } from './asset.js';

/**
 * For the library that pages of others load: browsers may use it for ten minutes without asking, and no longer, because the
 * chunks that it imports when it needs them are those of its own version.
 */
const SHARED = 'public, max-age=600';
/** A chunk has another name when it has another content. */
const FOR_EVER = 'public, max-age=31536000, immutable';
const CHUNK = /-[A-Z0-9]{8}\.js$/;

/**
 * What browsers load: `GET /host.js` and the others that keep their addresses, and everything else below `/assets/`. A
 * sandboxed frame has an opaque origin, so that it needs CORS even for the node's own files.
 */
export function assetResources(assets: Assets): OwnResource[] {
  const answer = (c: RouteContext, name: string, caching: string) => {
    const asset = assets(name);
    if (!asset) throw new Problem(404, `This node was built without ${name}; npm run build makes it`);
    return taggedAnswer(c, { ...asset, type: mediaTypeOf(name), caching });
  };
  const stable = STABLE_ASSETS.map((name): OwnResource => {
    return { path: `/${name}`, cors: ANY_ORIGIN, methods: { GET: (c) => answer(c, name, SHARED) } };
  });
  const asset: Handler = (c) => {
    const { path } = c.req;
    // The own files of a page must belong to the same version as the page, so that browsers ask each time.
    return answer(c, path.slice(1), CHUNK.test(path) ? FOR_EVER : 'no-cache');
  };
  const icon: Handler = (c) => answer(c, 'assets/shell.svg', 'no-cache');
  return [
    ...stable,
    { path: '/assets/*', cors: ANY_ORIGIN, methods: { GET: asset } },
    // Browsers ask for it by themselves, wherever no page names the icon.
    { path: '/favicon.ico', methods: { GET: icon } },
  ];
}

function mediaTypeOf(name: string): string {
  if (name.endsWith('.svg')) return 'image/svg+xml';
  return `text/${name.endsWith('.css') ? 'css' : 'javascript'}; charset=utf-8`;
}
