/** Says how good the ranking of `POST /match` is, on the labelled documents of test/matching/: `npx tsx scripts/matching.ts`. */
import { measurePrecision } from '../test/matching/precision.js';

const { documents, components, atOne, atThree, wrong } = await measurePrecision();
const percent = (share: number) => `${(share * 100).toFixed(1)} %`;
for (const { name, right, first } of wrong)
  console.log(`${name}\n  first:    ${first.join('; ') || 'nothing'}\n  expected: ${right.join('; ')}`);
console.log(`${documents} documents, ${components} components`);
console.log(`the first is right: ${percent(atOne)}; one of the first three: ${percent(atThree)}`);
