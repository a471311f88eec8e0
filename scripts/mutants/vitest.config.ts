import { defineConfig } from 'vitest/config';

/** The tests that `npm run mutants` runs: those of one folder, which it names in this environment variable. */
const include = [process.env.MUTANTS_TESTS ?? ''];

export default defineConfig({ test: { include } });
