import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Test files that take longest, the longest first; all others that run nodes come next, then large tests, then the unit tests. */
const LONGEST = [
  ...['pod', 'browser-explorer', 'bench', 'npm-network', 'browser-starter', 'hostile-documents'],
  ...['browser-pages', 'ldes-client', 'clients', 'browser-publish', 'hostile-requests', 'lifecycle'],
  ...['export-import', 'browser-finding', 'publish', 'connection', 'worker-pool', 'package', 'network'],
];

/** Starts what takes long before what does not, so that no core is idle at the end while one long file goes on. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return [...files].sort((a, b) => place(a) - place(b) || (a.moduleId < b.moduleId ? -1 : 1));
  }
}

function place({ project, moduleId }: TestSpecification): number {
  // In folders below are tests that run no nodes.
  if (!/\/test\/(acceptance|scenario)\/[^/]+$/.test(moduleId))
    return LONGEST.length + (project.name === 'unit' ? 2 : 1);
  const found = LONGEST.findIndex((name) => moduleId.endsWith(`/${name}.test.ts`));
  return found < 0 ? LONGEST.length : found;
}
