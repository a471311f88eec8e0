import { printable } from '../lib/printable.js';
import { type Finding, type LintReport, worstFirst } from './finding.js';

const LEVELS: Readonly<Record<Finding['level'], string>> = {
  ok: 'ok    ',
  advice: 'advice',
  error: 'ERROR ',
};

/** A report for a terminal: a line for each finding, and under it what to do. */
export function reportText({ document, findings, components }: LintReport): string {
  const parts = [
    [document, ...worstFirst(findings).flatMap(findingLines)],
    ...components.map(({ uri, label, findings: own }) => [
      label === undefined ? uri : `${label} <${uri}>`,
      ...worstFirst(own).flatMap(findingLines),
    ]),
  ];
  // Strangers wrote names and addresses: a line break in one would look like a finding of its own.
  return parts.map((lines) => lines.map(printable).join('\n')).join('\n\n');
}

function findingLines({ level, what, fix }: Finding): string[] {
  return [`  ${LEVELS[level]} ${what}`, ...(fix === undefined ? [] : [`         ${fix}`])];
}
