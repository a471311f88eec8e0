import type { Head, Writes } from '../../src/keep/keep.js';
import { openedIn } from '../keep/level-engine.js';
import { emptyDatabase, openedAt } from '../keep/postgres/postgres-engine.js';
import { memoryData, memoryRegistry, openRegistry, type TestOptions, type TestRegistry } from './registry.js';
import { tempDir } from './temp-dir.js';

/** An engine with data of its own, for the contract suites; the data is gone with the test. */
export interface Engine {
  /** Opens the registry, as a start does; what was there before it was closed is there again. */
  open(options?: TestOptions): Promise<TestRegistry>;
  /** Notes all that is stored. The function that is returned puts it back. Absent where that takes long. */
  readonly backup?: () => () => void;
}

export async function memoryEngine(): Promise<Engine> {
  const data = memoryData();
  return {
    open: (options) => memoryRegistry(options, data),
    backup() {
      const backup = data.backup();
      return () => data.restore(backup);
    },
  };
}

/** On files. */
export async function levelEngine(): Promise<Engine> {
  const directory = await tempDir();
  return { open: async (options) => openRegistry(await openedIn(directory), options) };
}

export async function postgresEngine(): Promise<Engine> {
  const url = await emptyDatabase();
  return { open: async (options) => openRegistry(await openedAt(url), options) };
}

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
