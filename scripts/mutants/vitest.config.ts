import { relative } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { NEEDY } from '../../test/support/needs.js';

/** The folder of `npm run mutants -- src/core`, whose tests alone are run; or patterns of tests, with commas between. */
const { MUTANTS = '', MUTANTS_TESTS } = process.env;
const ofFolder = ['test', 'test/acceptance'].map((top) => `${MUTANTS.replace(/^src/, top)}/**/*.test.ts`);

/** Nobody starts servers of others for them here. */
const exclude = NEEDY.flatMap(({ files }) => files);

/** Most changes are noticed by tests that take little time, and the first test that fails is the last that runs. */
class ShortestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return [...files].sort((a, b) => this.#took(a) - this.#took(b));
  }

  /** Milliseconds that a file took the last time; before that, 0. */
  #took({ project, moduleId }: TestSpecification): number {
    const { cache, config } = this.ctx;
    return cache.getFileTestResults(`${project.name}:${relative(config.root, moduleId)}`)?.duration ?? 0;
  }
}

// What is changed on purpose is slower, too.
export default defineConfig({
  test: {
    include: MUTANTS_TESTS?.split(',') ?? ofFolder,
    exclude,
    sequence: { sequencer: ShortestFirst },
    testTimeout: 60_000,
    setupFiles: ['scripts/mutants/setup.ts'],
  },
});
