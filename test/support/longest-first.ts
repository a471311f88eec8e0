import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Test files that take longest, the longest first; all others that run nodes come next, then large tests, then the unit tests. */
const LONGEST = [
  ...['hostile-requests', 'browser-explorer', 'browser-pages', 'simulation', 'pod', 'postgres-place'],
  ...['browser-publish', 'browser-host', 'hostile-documents', 'browser-starter', 'npm-network', 'lifecycle'],
  ...['postgres-keep', 'publish', 'examples-processes', 'seeds', 'package', 'docs', 'crash', 'bench'],
];

/** Starts what takes long before what does not, so that no core is idle at the end while one long file goes on. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return [...files].sort((a, b) => place(a) - place(b) || (a.moduleId < b.moduleId ? -1 : 1));
  }
}

function place({ project, moduleId }: TestSpecification): number {
  const found = LONGEST.findIndex((name) => moduleId.endsWith(`/${name}.test.ts`));
  if (found >= 0) return found;
  // In folders below are tests that run no nodes.
  if (/\/test\/(acceptance|scenario)\/[^/]+$/.test(moduleId)) return LONGEST.length;
  return LONGEST.length + (project.name === 'unit' ? 2 : 1);
}
