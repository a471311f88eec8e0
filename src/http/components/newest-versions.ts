import PQueue from 'p-queue';
import type { Page, PageRequest, State } from '../../catalog/catalog.js';
import type { Description } from '../../catalog/description.js';
import { compareVersions, versionGroup } from '../../component/versions.js';
import { compareText } from '../../lib/compare-text.js';
import type { Pace } from '../../lib/pace.js';
import { PoolBusy } from '../../lib/pool/task.js';

/** A description with what is read of it once: it is parsed each time that it is asked for. */
interface Candidate {
  readonly description: Description;
  readonly uri: string;
  readonly version: string | undefined;
  /** See `versionGroup`. */
  readonly group: string;
}

/** Descriptions that are handed out at a time. */
const SLICE = 200;

/** Answers that may wait to be made. */
const MOST_WAITING = 64;

export type NewestVersions = (open: () => Promise<Page>, request: PageRequest, pace: Pace) => Promise<Page>;

/**
 * Makes parts of pages: of each component only the newest of the versions on the page (see `versionGroup`), or all that share
 * the newest version. Looks at the whole page, and gives way to other work meanwhile. One answer is made after another,
 * because each takes memory for everything on its page. Rejects with PoolBusy when too many wait.
 */
export function newestVersions(): NewestVersions {
  const turns = new PQueue({ concurrency: 1 });
  return (open, request, pace) => {
    if (turns.size >= MOST_WAITING) throw new PoolBusy();
    return turns.add(async () => newestOf(await open(), request, pace));
  };
}

async function newestOf(page: Page, { limit, after }: PageRequest, pace: Pace): Promise<Page> {
  const breathe = pace();
  const all: Candidate[] = [];
  const newest = new Map<string, string | undefined>();
  for await (const slice of page.descriptions()) {
    for (const description of slice) {
      const { metadata } = description;
      const { uri, version } = metadata;
      const group = versionGroup(metadata, description);
      if (!newest.has(group) || compareVersions(version, newest.get(group)) > 0) newest.set(group, version);
      all.push({ description, uri, version, group });
      await breathe();
    }
  }
  const shown: Description[] = [];
  for (const { description, uri, version, group } of all) {
    await breathe();
    if (after !== undefined && compareText(uri, after) <= 0) continue;
    if (compareVersions(version, newest.get(group)) < 0) continue;
    if (shown.length === limit) return pageOf(page.state, shown, shown.at(-1)?.metadata.uri);
    shown.push(description);
  }
  return pageOf(page.state, shown);
}

function pageOf(state: State, shown: readonly Description[], next?: string): Page {
  return {
    state,
    ...(next !== undefined && { next }),
    async *descriptions() {
      for (let at = 0; at < shown.length; at += SLICE) yield shown.slice(at, at + SLICE);
    },
  };
}
