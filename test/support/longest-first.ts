import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Test files that take longest, the longest first. */
const LONGEST = [
  ...['hostile-requests', 'hostile-documents', 'pod', 'publish', 'lifecycle', 'docs', 'crash', 'clients'],
  ...['npm-network', 'package', 'bench', 'ldes-client', 'memory', 'commands', 'worker-pool'],
  ...['browser-explorer', 'browser-pages', 'browser-publish', 'browser-starter', 'browser-loading'],
  ...['examples-processes', 'postgres-failover', 'examples-sparql', 'postgres-nodes', 'disk-full'],
  ...['simulation', 'seeds', 'linear-cost', 'component-catalog', 'postgres-place', 'postgres-keep'],
];

/** What takes long comes first, so that no core is idle in the end. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return [...files].sort((a, b) => place(a) - place(b) || (a.moduleId < b.moduleId ? -1 : 1));
  }
}

function place({ moduleId }: TestSpecification): number {
  const found = LONGEST.findIndex((name) => moduleId.endsWith(`/${name}.test.ts`));
  return found < 0 ? LONGEST.length : found;
}
