import type { Config } from '../../../config.js';
import type { Handler } from '../../../lib/http/resource.js';
import type { Catalog } from '../../../registry/catalog.js';
import type { Reports } from '../../operations/reports.js';
import type { VersionNoticesOf } from '../../operations/version-notices.js';
import { type PageParts, pageAnswer } from '../../page-answer.js';
import { networkPage } from './network-view.js';

export interface NetworkPageParts extends PageParts {
  readonly catalog: Catalog;
  readonly reports: Reports;
  readonly versionNotices: VersionNoticesOf;
  readonly config: Pick<Config, 'mode'>;
}

/** `GET /network`: the status as a page. */
export function getNetworkPage({
  catalog,
  reports,
  versionNotices,
  config,
  ...parts
}: NetworkPageParts): Handler {
  return async () => {
    const node = parts.node();
    const { components } = await catalog.state();
    const lists = await catalog.network();
    const versions = (await versionNotices(catalog))?.notices ?? [];
    const [sources, followers, refusals] = [await reports.status(), reports.followers(), reports.refusals()];
    const [activity, pinning] = [reports.activity(), await reports.pinning()];
    const listed = { components, sources, lists, versions, followers, refusals };
    return pageAnswer(networkPage({ node, mode: config.mode, ...listed, activity, pinning }));
  };
}
