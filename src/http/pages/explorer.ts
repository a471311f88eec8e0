import type { Config } from '../../config.js';
import { ANY_ORIGIN } from '../../lib/http/headers/cors.js';
import type { Assets } from '../../web/asset.js';
import { ownFormsOnly } from '../access/own-origin.js';
import type { FactSources } from '../find-facts.js';
import type { OwnResource } from '../own-resource.js';
import type { Serving } from '../representation.js';
import { assetResources } from './assets.js';
import { type FrameParts, getFrame } from './component/frame-document.js';
import { type DataParts, getData } from './data/data-page.js';
import { type DocsParts, getDocument } from './docs/docs.js';
import { searchResults } from './finding/results.js';
import { getHome } from './home/home.js';
import { getNetworkPage, type NetworkPageParts } from './network/network.js';
import { type CheckParts, checkNow } from './publish/check.js';
import { describeNow } from './publish/describe.js';
import { type DraftParts, makeDraft } from './publish/draft.js';
import { getClient, getPublish } from './publish/publish.js';
import { getWhy, type WhyPageParts } from './why/why-page.js';

export interface ExplorerParts
  extends Serving,
    CheckParts,
    NetworkPageParts,
    WhyPageParts,
    DraftParts,
    DataParts,
    DocsParts,
    FrameParts,
    FactSources {
  readonly config: Pick<Config, 'mode' | 'write' | 'operatorToken'>;
  readonly assets: Assets;
}

/** The pages for people (design, section 10), and the files that browsers load. */
export function explorerResources(parts: ExplorerParts): OwnResource[] {
  const found = { ...parts, results: searchResults(parts) };
  const { write } = parts.config;
  const check = checkNow(parts);
  return [
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
}
