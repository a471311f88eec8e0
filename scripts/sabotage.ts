/**
 * `npm run sabotage [-- <part of a name> …]`: breaks rules on purpose, one after the other, and proves that the test file
 * which each rule names beforehand notices it. Exits with 1 where a rule goes unnoticed, and where a test file fails also
 * while nothing is broken. Leaves a `dist/` with a file for each module, whose modules can be replaced.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Rule } from './sabotage/rule.js';
import { RULES } from './sabotage/rules.js';
import { compileRules, runSuites } from './sabotage/run-suites.js';

const TOP = fileURLToPath(new URL('..', import.meta.url));
const words = process.argv.slice(2);
const wanted = RULES.filter(({ name }) => words.length === 0 || words.some((word) => name.includes(word)));
const suites = [...new Set(wanted.map(({ suite }) => suite))];

await compileRules();
// Acceptance tests in folders run no built program.
if (suites.some((suite) => /^test\/acceptance\/[^/]+$/.test(suite))) buildModules();
// All in one run, because most of the time of a run is that of its start.
const sound = new Set(wanted.length > 0 ? await soundSuites() : []);
const unnoticed: string[] = [];
for (const [i, rule] of wanted.entries()) {
  const verdict = await judge(rule);
  if (!verdict.startsWith('noticed')) unnoticed.push(rule.name);
  console.log(`${String(i + 1).padStart(2)}. ${rule.name}\n    ${rule.suite}: ${verdict}`);
}
console.log(`\n${wanted.length - unnoticed.length} of ${wanted.length} broken rules were noticed`);
for (const name of unnoticed) console.log(`not: ${name}`);
process.exitCode = unnoticed.length > 0 || wanted.length === 0 ? 1 : 0;

/** The test files that pass while nothing is broken. */
async function soundSuites(): Promise<string[]> {
  const { tests } = await runSuites(suites);
  const failing = new Set(tests.filter(({ passed }) => !passed).map(({ file }) => file));
  return tests.map(({ file }) => file).filter((file) => !failing.has(file));
}

/** `noticed …`, or what is wrong. */
async function judge(rule: Rule): Promise<string> {
  if (!sound.has(rule.suite)) return 'FAILS ALSO WHILE NOTHING IS BROKEN';
  const { tests, isPlanted } = await runSuites([rule.suite], rule);
  if (!isPlanted) return 'NOT PLANTED: nothing loads the module';
  // A file that cannot be loaded fails, too, and proves nothing.
  if (tests.length === 0) return 'NO TEST RAN';
  const noticing = tests.find(({ passed }) => !passed);
  return noticing ? `noticed by "${noticing.name}"` : `NOT NOTICED by ${tests.length} tests`;
}

function buildModules(): void {
  const args = ['scripts/build.ts', '--modules'];
  const { status } = spawnSync(join(TOP, 'node_modules/.bin/tsx'), args, { cwd: TOP, stdio: 'inherit' });
  if (status !== 0) throw new Error('the program cannot be built');
}
