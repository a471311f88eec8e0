/**
 * `npm run dependencies`: licences of all packages that are given away, and what the npm registry knows of faults in any
 * package. Exits with 1 for a licence that is not permissive, and for a known fault.
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { givenAway, idOf } from './dependencies/given-away.js';
import { isPermissive } from './dependencies/licences.js';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

const all = givenAway(ROOT);
const refused = all.filter(({ licence }) => !isPermissive(licence));
for (const licence of [...new Set(all.map((one) => one.licence))].sort()) {
  const those = all.filter((one) => one.licence === licence).map(idOf);
  console.log(`${licence} (${those.length}): ${those.join(', ')}`);
}
for (const one of refused)
  console.error(`${idOf(one)} is under ${one.licence}, which is not in the list of permissive licences`);

console.log('\nKnown faults (npm audit):');
// Of the tools, too: most of what is given away is joined into the program, and a development dependency for npm.
const { stdout } = spawnSync('npm', ['audit', '--json'], { cwd: ROOT, encoding: 'utf8' });
const { vulnerabilities } = JSON.parse(stdout || '{}');
const faulty = Object.entries<{ severity: string; range: string }>(vulnerabilities ?? {});
for (const [name, { severity, range }] of faulty) console.error(`${name} ${range}: ${severity}`);
if (!vulnerabilities) console.log('not asked: the npm registry does not answer questions of that kind here');
else if (faulty.length === 0) console.log('none');
process.exitCode = refused.length + faulty.length > 0 ? 1 : 0;
