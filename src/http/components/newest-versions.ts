import PQueue from 'p-queue';
import type { Page, PageRequest } from '../../catalog/catalog.js';
import type { Description } from '../../catalog/description.js';
import { compareVersions, versionGroup } from '../../component/versions.js';
import { compareText } from '../../lib/compare-text.js';
import type { Pace } from '../../lib/pace.js';
import { PoolBusy } from '../../lib/pool/task.js';
import { sortedBy } from '../../lib/sort.js';

/** A description with what is read of it once: it is parsed each time that it is asked for. */
interface Candidate {
  readonly description: Description;
  readonly uri: string;
  readonly version: string | undefined;
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
  const newest = await newestOn(page, pace);
  const wanted = await sortedBy(
    newest.filter(({ uri }) => after === undefined || compareText(uri, after) > 0),
    ({ uri }) => uri,
    pace(),
  );
  const shown = wanted.slice(0, limit);
  const last = shown.at(-1);
  return {
    state: page.state,
    next: shown.length < wanted.length ? last?.uri : undefined,
    async *descriptions() {
      for (let at = 0; at < shown.length; at += SLICE) {
        yield shown.slice(at, at + SLICE).map(({ description }) => description);
      }
    },
  };
}

async function newestOn(page: Page, pace: Pace): Promise<readonly Candidate[]> {
  const breathe = pace();
  const groups = new Map<string, Candidate[]>();
  for await (const slice of page.descriptions()) {
    for (const description of slice) {
      const { metadata } = description;
      const candidate = { description, uri: metadata.uri, version: metadata.version };
      keepNewest(groups, versionGroup(metadata, description), candidate);
      await breathe();
    }
  }
  return [...groups.values()].flat();
}

function keepNewest(groups: Map<string, Candidate[]>, group: string, candidate: Candidate): void {
  const [best, ...others] = groups.get(group) ?? [];
  const order = best ? compareVersions(candidate.version, best.version) : 1;
  if (order > 0) groups.set(group, [candidate]);
  else if (best && order === 0) groups.set(group, [best, ...others, candidate]);
}
