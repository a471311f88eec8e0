/** Writes the table of all configuration keys into README.md, between its two markers. */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { configReference } from '../src/config.js';

const README = fileURLToPath(new URL('../README.md', import.meta.url));
const MARKED = /(?<=<!-- config:begin -->\n)[\s\S]*?(?=<!-- config:end -->)/;

/** The table as Markdown, a line per key. */
export function configTable(): string {
  const rows = configReference().map(
    (setting) =>
      `| \`${setting.key}\` | \`${setting.default.replace(/^"(.*)"$/, '$1')}\` | ${setting.meaning.replaceAll('|', '\\|')} |\n`,
  );
  return ['| key | default | meaning |\n', '|---|---|---|\n', ...rows].join('');
}

/** What the README shows now. */
export function tableInReadme(): string | undefined {
  return readFileSync(README, 'utf8').match(MARKED)?.[0];
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  writeFileSync(
    README,
    readFileSync(README, 'utf8').replace(MARKED, () => configTable()),
  );
}
