/** Writes the table of all configuration keys into docs/operators.md, between its two markers. */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { configReference } from '../src/config/reference.js';

const DOCUMENT = fileURLToPath(new URL('../docs/operators.md', import.meta.url));
const MARKED = /(?<=<!-- config:begin -->\n)[\s\S]*?(?=<!-- config:end -->)/;

/** The table as Markdown, a line per key. */
export function configTable(): string {
  const rows = configReference().map(
    (setting) =>
      `| \`${setting.key}\` | \`${setting.default.replace(/^"(.*)"$/, '$1')}\` | ${setting.meaning.replaceAll('|', '\\|')} |\n`,
  );
  return ['| key | default | meaning |\n', '|---|---|---|\n', ...rows].join('');
}

/** What docs/operators.md shows now. */
export function tableInDocument(): string | undefined {
  return readFileSync(DOCUMENT, 'utf8').match(MARKED)?.[0];
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  writeFileSync(
    DOCUMENT,
    readFileSync(DOCUMENT, 'utf8').replace(MARKED, () => configTable()),
  );
}
