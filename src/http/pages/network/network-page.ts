import type { Refusals } from '../../../core/refusal.js';
import type { Activity } from '../../../explain/activity.js';
import type { Pinning } from '../../../explain/pinning.js';
import type { Reader } from '../../../explain/reader.js';
import type { SourceStatus } from '../../../explain/source-status.js';
import type { Handler } from '../../../lib/http/resource.js';
import type { Catalog } from '../../../registry/catalog.js';
import type { VersionNoticesOf } from '../../operations/version-notices.js';
import { nodeView, type PageParts, pageAnswer } from '../../page-answer.js';
import { networkPage } from './network-view.js';

export interface NetworkPageParts extends PageParts {
  readonly catalog: Catalog;
  readonly status: () => Promise<readonly SourceStatus[]>;
  readonly activity: () => Activity;
  readonly readers: () => readonly Reader[];
  readonly mode: string;
  readonly versionNotices: VersionNoticesOf;
  readonly refusals: () => Refusals;
  readonly pinning: () => Promise<Pinning>;
}

/** `GET /network`: the status as a page. */
export function getNetworkPage(parts: NetworkPageParts): Handler {
  return async () => {
    const node = nodeView(parts);
    const { components } = await parts.catalog.state();
    const lists = await parts.catalog.network();
    const versions = (await parts.versionNotices(parts.catalog))?.notices ?? [];
    const [sources, readers, refusals] = [await parts.status(), parts.readers(), parts.refusals()];
    const known = { node, mode: parts.mode, components, sources, lists, activity: parts.activity() };
    const pinning = await parts.pinning();
    return pageAnswer(networkPage({ ...known, versions, readers, refusals, pinning }));
  };
}
