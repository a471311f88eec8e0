/** `npm run licences`: what npm installs with the program, by licence. Exits with 1 where one is not permissive. */
import { fileURLToPath } from 'node:url';
import { packageLicences } from './licences/package-licences.js';

const all = await packageLicences(fileURLToPath(new URL('..', import.meta.url)), 'installed');
for (const licence of [...new Set(all.map((one) => one.licence))].sort()) {
  const those = all.filter((one) => one.licence === licence).map(({ id }) => id);
  console.log(`${licence} (${those.length}): ${those.join(', ')}`);
}
