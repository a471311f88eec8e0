import { basename } from 'node:path';
import type { Findings } from './repair.js';

/** Lines of one kind that are shown; of more, the number is told. */
const SHOWN = 20;

/** What `repair` prints about one database. */
export function repairText(
  directory: string,
  outcome: { findings: Findings; kept?: string } | undefined,
): string {
  if (!outcome) return `${directory}: there is nothing`;
  const { findings, kept } = outcome;
  if (findings.damaged.length === 0) return `${directory}: nothing is damaged`;
  const end = kept
    ? `repaired; the damaged files are kept in ${basename(kept)} beside it: delete them when you do not need them`
    : 'nothing has been changed; to repair it, stop the node, and run the same command with --apply';
  return [
    `${directory}: damaged`,
    ...paragraph('damaged', findings.damaged),
    ...paragraph('can be rebuilt', findings.rebuilt),
    ...paragraph('lost', findings.lost),
    `  ${end}`,
  ].join('\n');
}

function paragraph(title: string, lines: readonly string[]): string[] {
  if (lines.length === 0) return [`  ${title}: nothing`];
  const more = lines.length > SHOWN ? [`    … and ${lines.length - SHOWN} more`] : [];
  return [`  ${title}:`, ...lines.slice(0, SHOWN).map((line) => `    ${line}`), ...more];
}
