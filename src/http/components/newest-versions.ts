import { compareVersions, versionGroup } from '../../component/versions.js';
import { compareText } from '../../lib/compare-text.js';
import type { Pace } from '../../lib/pace.js';
import type { Description } from '../../registry/description.js';
import type { Page, PageRequest } from '../../registry/page.js';

/** A description with what is read of it once: engines may parse it anew each time. */
interface Candidate {
  readonly description: Description;
  readonly uri: string;
  readonly version: string | undefined;
}

/** Descriptions that are handed out at a time. */
const SLICE = 200;

/**
 * A part of a page: of each component only the newest of the versions on the page (see `versionGroup`), or all that share the
 * newest version. Looks at the whole page, and gives way to other work meanwhile.
 */
export async function newestVersions(page: Page, { limit, after }: PageRequest, pace: Pace): Promise<Page> {
  const { all, newest } = await candidatesOn(page, pace);
  const wanted = all.filter(
    (one) => newest.has(one) && (after === undefined || compareText(one.uri, after) > 0),
  );
  const shown = wanted.slice(0, limit);
  const last = shown.at(-1);
  return {
    state: page.state,
    ...(last && shown.length < wanted.length ? { next: last.uri } : {}),
    async *descriptions() {
      for (let at = 0; at < shown.length; at += SLICE) {
        yield shown.slice(at, at + SLICE).map(({ description }) => description);
      }
    },
  };
}

async function candidatesOn(
  page: Page,
  pace: Pace,
): Promise<{ all: readonly Candidate[]; newest: ReadonlySet<Candidate> }> {
  const breathe = pace();
  const all: Candidate[] = [];
  const groups = new Map<string, Candidate[]>();
  for await (const slice of page.descriptions()) {
    for (const description of slice) {
      const { metadata } = description;
      const candidate = { description, uri: metadata.uri, version: metadata.version };
      all.push(candidate);
      keepNewest(groups, versionGroup(metadata, description), candidate);
      await breathe();
    }
  }
  return { all, newest: new Set([...groups.values()].flat()) };
}

function keepNewest(groups: Map<string, Candidate[]>, group: string, candidate: Candidate): void {
  const [best, ...others] = groups.get(group) ?? [];
  const order = best ? compareVersions(candidate.version, best.version) : 1;
  if (order > 0) groups.set(group, [candidate]);
  else if (best && order === 0) groups.set(group, [best, ...others, candidate]);
}
