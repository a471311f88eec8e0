import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Test files that take longest, the longest first; all other scenarios come next, then large tests, then the unit tests. */
const LONGEST = [
  'bench',
  'pod',
  'network-bounds',
  'browser-demo',
  'hostile-requests',
  'hostile-connections',
  'browser-docs',
  'package',
  'hostile-documents',
  'browser-explorer',
  'network-crash',
  'browser-pages',
  'event-lines',
  'browser-connection',
  'npm-network',
  'browser-finding',
  'lifecycle',
  'connection',
  'clients',
  'postgres-nodes',
  'postgres-failover',
  'push-pod',
  'browser-show',
];

/** Starts what takes long before what does not, so that no core is idle at the end while one long file goes on. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return [...files].sort((a, b) => place(a) - place(b) || (a.moduleId < b.moduleId ? -1 : 1));
  }
}

function place({ project, moduleId }: TestSpecification): number {
  if (project.name !== 'scenario') return LONGEST.length + (project.name === 'large' ? 1 : 2);
  const found = LONGEST.findIndex((name) => moduleId.endsWith(`/${name}.test.ts`));
  return found < 0 ? LONGEST.length : found;
}
