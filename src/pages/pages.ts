import { ownFormsOnly } from '../http/access/own-origin.js';
import type { PagesBasis, RegistryPages } from '../http/app.js';
import type { Assets } from '../http/assets/asset.js';
import { assetResources } from '../http/assets/asset-resources.js';
import type { OwnResource } from '../http/own-resource.js';
import { ANY_ORIGIN } from '../lib/http/headers/cors.js';
import { getComponentPage } from './component/component-page.js';
import { getFrame } from './component/frame-document.js';
import { getData } from './data/data-page.js';
import { type DocsParts, getDocument } from './docs/route.js';
import { getHome } from './home/home.js';
import { searchResults } from './home/results.js';
import { getNetworkPage } from './network/route.js';
import { type CheckParts, checkNow } from './publish/check.js';
import { describeNow } from './publish/describe.js';
import { type DraftParts, makeDraft } from './publish/draft.js';
import { getClient, getPublish } from './publish/publish.js';
import { type NodeViewParts, nodeView } from './shell/page-answer.js';
import { problemPages } from './shell/problem-page.js';
import { getWhy } from './why/route.js';

export interface PagesParts extends PagesBasis, NodeViewParts, CheckParts, DraftParts, DocsParts {
  readonly config: PagesBasis['config'];
  readonly reports: PagesBasis['reports'];
  readonly assets: Assets;
}

/** The pages for people (design, section 10), and the files that browsers load. */
export function createPages(given: Omit<PagesParts, 'node'>): RegistryPages {
  const node = () => nodeView(given);
  const parts = { ...given, node };
  const found = { ...parts, results: searchResults(parts) };
  const { write } = parts.config;
  const check = checkNow(parts);
  const resources: OwnResource[] = [
    { path: '/', cors: ANY_ORIGIN, methods: { GET: getHome(found) } },
    { path: '/data', methods: { GET: getData(parts) } },
    {
      path: '/publish',
      methods: { GET: getPublish(parts), POST: write === 'open' ? ownFormsOnly(check) : check },
    },
    { path: '/publish/client', cors: ANY_ORIGIN, methods: { GET: getClient(parts) } },
    { path: '/publish/draft', methods: { POST: makeDraft(parts) } },
    { path: '/publish/describe', methods: { POST: describeNow(parts) } },
    { path: '/network', methods: { GET: getNetworkPage(parts) } },
    { path: '/why', cors: ANY_ORIGIN, methods: { GET: getWhy(parts) } },
    { path: '/frame', methods: { GET: getFrame(parts) } },
    { path: '/docs', methods: { GET: getDocument(parts) } },
    { path: '/docs/*', methods: { GET: getDocument(parts) } },
    ...assetResources(parts.assets),
  ];
  return { resources, component: getComponentPage(parts), problem: problemPages(node) };
}
