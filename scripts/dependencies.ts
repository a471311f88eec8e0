/**
 * `npm run dependencies`: licences of all packages, and what the npm registry knows of faults in those that are given away.
 * Exits with 1 for a licence that is not permissive, and for a known fault.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { byLicence, dependenciesOf, withoutPermission } from './dependencies/licences.js';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

const all = dependenciesOf(JSON.parse(readFileSync(`${ROOT}package-lock.json`, 'utf8')));
const refused = withoutPermission(all);

for (const isTool of [false, true]) {
  const those = all.filter((one) => one.isTool === isTool);
  console.log(
    `\n${those.length} packages ${isTool ? 'that are tools of development' : 'that are given away'}`,
  );
  for (const [licence, names] of byLicence(those))
    console.log(`  ${licence}: ${names.map(({ name, version }) => `${name} ${version}`).join(', ')}`);
}
for (const { name, version, licence } of refused)
  console.error(`${name} ${version} is under ${licence}, which is not in the list of permissive licences`);

console.log('\nKnown faults (npm audit):');
const { stdout } = spawnSync('npm', ['audit', '--omit=dev', '--json'], { cwd: ROOT, encoding: 'utf8' });
const { vulnerabilities } = JSON.parse(stdout || '{}');
const faulty = Object.entries<{ severity: string; range: string }>(vulnerabilities ?? {});
for (const [name, { severity, range }] of faulty) console.error(`${name} ${range}: ${severity}`);
if (!vulnerabilities) console.log('not asked: the npm registry does not answer questions of that kind here');
else if (faulty.length === 0) console.log('none');
process.exitCode = refused.length + faulty.length > 0 ? 1 : 0;
