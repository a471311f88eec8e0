import type { PagesBasis, RegistryPages } from '../http/app.js';
import type { Assets } from '../http/assets/asset.js';
import { assetResources } from '../http/assets/asset-resources.js';
import type { OwnResource } from '../http/own-resource.js';
import { ANY_ORIGIN } from '../lib/http/headers/cors.js';
import { getFrame } from './component/frame.js';
import { getComponentPage } from './component/route.js';
import { getData } from './data/route.js';
import { type DocsParts, getDocument } from './docs/route.js';
import { getHome } from './home/route.js';
import { getNetworkPage } from './network/route.js';
import { type PublishParts, publishResources } from './publish/route.js';
import { inHtml, type NodeViewParts, nodeView } from './shell/page-answer.js';
import { problemPages } from './shell/problem-page.js';
import { getWhy } from './why/route.js';

export interface PagesParts extends PagesBasis, NodeViewParts, PublishParts, DocsParts {
  readonly config: PagesBasis['config'];
  readonly reports: PagesBasis['reports'];
  readonly assets: Assets;
}

/** The pages for people (design, section 10), and the files that browsers load. */
export function createPages(
  basis: PagesBasis,
  given: Omit<PagesParts, keyof PagesBasis | 'node'>,
): RegistryPages {
  const node = () => nodeView({ config: basis.config, ...given });
  const parts = { ...basis, ...given, node };
  const resources: OwnResource[] = [
    { path: '/', cors: ANY_ORIGIN, methods: { GET: getHome(parts) } },
    { path: '/data', methods: { GET: inHtml(getData(parts)) } },
    ...publishResources(parts),
    { path: '/network', methods: { GET: inHtml(getNetworkPage(parts)) } },
    { path: '/why', cors: ANY_ORIGIN, methods: { GET: getWhy(parts) } },
    { path: '/frame', methods: { GET: inHtml(getFrame(parts)) } },
    { path: '/docs', methods: { GET: getDocument(parts) } },
    { path: '/docs/*', methods: { GET: getDocument(parts) } },
    ...assetResources(parts.assets),
  ];
  return { resources, component: getComponentPage(parts), problem: problemPages(node) };
}
