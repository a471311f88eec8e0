import type { Head, Writes } from '../../src/keep/keep.js';
import type { TestRegistry } from './registry.js';

/** Tells what each commit of a registry writes from now on. */
export function watchWrites({ keep }: TestRegistry, listener: (writes: Writes) => void): void {
  const commit = keep.commit.bind(keep);
  keep.commit = (since, decide, lease) => {
    const decideWatched: typeof decide = async (now) => {
      const writes = await decide(now);
      if (writes) listener(writes);
      return writes;
    };
    return commit(since, decideWatched, lease);
  };
}

/** Puts something around each commit of a registry from now on, until what is returned is called. */
export function aroundCommits(
  { keep }: Pick<TestRegistry, 'keep'>,
  around: (commit: () => Promise<Head>, number: number) => Promise<Head>,
): () => void {
  const commit = keep.commit.bind(keep);
  let commits = 0;
  keep.commit = (...asked) => {
    commits += 1;
    return around(() => commit(...asked), commits);
  };
  return () => {
    keep.commit = commit;
  };
}
