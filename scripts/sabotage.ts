/**
 * `npm run sabotage [-- <part of a name> …]`: breaks rules on purpose, one after the other, and proves that the test file
 * which each rule names beforehand notices it. Exits with 1 where a rule goes unnoticed, and where a test file fails also
 * while nothing is broken. Leaves a `dist/` with a file for each module, whose modules can be replaced.
 */
import { execSync } from 'node:child_process';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { startVitest } from 'vitest/node';
import type { Rule } from './sabotage/rule.js';
import { RULES } from './sabotage/rules.js';

const TOP = fileURLToPath(new URL('..', import.meta.url));
const words = process.argv.slice(2);
const wanted = RULES.filter(({ name }) => words.length === 0 || words.some((word) => name.includes(word)));
if (wanted.length === 0) throw new Error(`no rule has one of these in its name: ${words.join(', ')}`);
const suites = [...new Set(wanted.map(({ suite }) => suite))];
// Acceptance tests in folders run no built program.
if (suites.some((suite) => /^test\/acceptance\/[^/]+$/.test(suite))) await prepareProgram();
// All in one run, because most of the time of a run is that of its start.
const sound = await runTests(suites);
const unnoticed: string[] = [];
for (const [i, rule] of wanted.entries()) {
  const verdict = await judge(rule);
  if (!verdict.startsWith('noticed')) unnoticed.push(rule.name);
  console.log(`${String(i + 1).padStart(2)}. ${rule.name}\n    ${rule.suite}: ${verdict}`);
}
console.log(`\n${wanted.length - unnoticed.length} of ${wanted.length} broken rules were noticed`);
for (const name of unnoticed) console.log(`not: ${name}`);
process.exitCode = unnoticed.length > 0 ? 1 : 0;

/** Has programs that tests start load what plants the rules, and have modules that can be replaced. */
async function prepareProgram(): Promise<void> {
  const outfile = `${TOP}node_modules/.cache/sabotage/planted.mjs`;
  const how = { bundle: true, format: 'esm', platform: 'node', target: 'node20' } as const;
  await build({ entryPoints: [`${TOP}scripts/sabotage/planted.ts`], outfile, ...how, logLevel: 'warning' });
  const register = `import { register } from 'node:module'; register('${pathToFileURL(outfile)}');`;
  process.env.SABOTAGE_OPTIONS = `--import data:text/javascript,${encodeURIComponent(register)}`;
  // The compiler writes a file for each module, over those that the build has joined.
  execSync('npm run --silent build && npx --no tsc -- --declaration false', { cwd: TOP, stdio: 'inherit' });
}

/** `noticed …`, or what is wrong. */
async function judge({ name, suite, tests }: Rule): Promise<string> {
  const before = sound.filter(({ file }) => file === suite);
  if (before.length === 0 || before.some(({ state }) => state === 'failed'))
    return 'FAILS ALSO WHILE NOTHING IS BROKEN';
  // The processes of the tests have it from this one.
  process.env.SABOTAGE = name;
  const ran = await runTests([suite], { bail: 1, testNamePattern: tests });
  // A file that cannot be loaded fails, too, and proves nothing.
  if (ran.length === 0) return 'NO TEST RAN';
  const noticing = ran.find(({ state }) => state === 'failed');
  return noticing ? `noticed by "${noticing.name}"` : `NOT NOTICED by ${ran.length} tests`;
}

/** Runs test files. Gives the tests that passed or failed; a file that could not be loaded has none. */
async function runTests(files: readonly string[], options: { bail?: number; testNamePattern?: string } = {}) {
  const { state } = await startVitest('test', [...files], { run: true, reporters: [{}], ...options });
  const tests = state
    .getTestModules()
    .flatMap(({ relativeModuleId: file, children }) =>
      [...children.allTests()].map((test) => ({ file, name: test.fullName, state: test.result().state })),
    );
  return tests.filter(({ state }) => state === 'passed' || state === 'failed');
}
