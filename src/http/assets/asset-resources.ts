import { ASSET_NAMES } from '../../config/own-paths.js';
import { taggedAnswer } from '../../lib/http/cacheable.js';
import { ANY_ORIGIN } from '../../lib/http/headers/cors.js';
import { Problem } from '../../lib/http/problem.js';
import type { Handler } from '../../lib/http/resource.js';
import type { OwnResource } from '../own-resource.js';
import type { AssetName, Assets } from './asset.js';

/**
 * For the library that other sites' pages load, and the modules that it imports: browsers may use it for ten minutes without asking, and after that
 * an old copy while they ask.
 */
const SHARED = 'public, max-age=600, stale-while-revalidate=86400';

/** `GET /host.js`, the modules that it imports when it needs them, and the files of the explorer's pages. */
export function assetResources(assets: Assets): OwnResource[] {
  const files = ASSET_NAMES.map((name) => ({
    path: `/${name}` as const,
    // The sandboxed frame has an opaque origin, so it needs CORS even for the node's own files.
    cors: ANY_ORIGIN,
    methods: { GET: getAsset(name, assets) },
  }));
  // Browsers ask for it by themselves, wherever no page names the icon.
  return [...files, { path: '/favicon.ico', methods: { GET: getAsset('mark.svg', assets) } }];
}

function mediaTypeOf(name: AssetName): string {
  if (name.endsWith('.svg')) return 'image/svg+xml';
  return `text/${name.endsWith('.css') ? 'css' : 'javascript'}; charset=utf-8`;
}

function getAsset(name: AssetName, assets: Assets): Handler {
  return (c) => {
    const asset = assets(name);
    if (!asset) throw new Problem(404, `This node was built without ${name}; npm run build makes it`);
    // The explorer's own files must belong to the same version as the page, so browsers ask each time.
    const caching = /^(host|embed)/.test(name) ? SHARED : 'no-cache';
    return taggedAnswer(c, { ...asset, type: mediaTypeOf(name), caching });
  };
}
