import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Clone } from './clone.js';

/** The part of CHANGELOG.md about the version. @throws Error when there is none, or it has no date */
export function writeNotes({ folder, commit }: Clone, version: string, file: string): void {
  const changes = readFileSync(join(folder, 'CHANGELOG.md'), 'utf8');
  const [, heading, text] =
    changes
      .split(/^(?=## )/m)
      .map(partsOf)
      .find(([, title]) => title?.startsWith(`[${version}]`)) ?? [];
  if (!heading || !text) throw new Error(`CHANGELOG.md has no part "## [${version}] - <date>"`);
  if (!/ - \d{4}-\d{2}-\d{2}$/.test(heading)) throw new Error(`CHANGELOG.md: "${heading}" names no date`);
  writeFileSync(file, `# ${heading}\n\nCommit ${commit}.\n${text.trimEnd()}\n`);
}

function partsOf(part: string): RegExpMatchArray | [] {
  return part.match(/^## (.+)\n([\s\S]*)$/) ?? [];
}
