import type { ComponentChange } from '../../describe/edit-document.js';
import { printable } from '../../lib/printable.js';
import { reportText } from '../../lint/report-text.js';
import type { Listed } from './listed-on.js';
import type { Plan } from './publication.js';

const MARKS: Readonly<Record<ComponentChange['kind'], string>> = {
  added: '+',
  changed: '~',
  unchanged: '=',
  removed: '-',
};

/** What publishing would do, for a terminal: where, the difference, and what the check finds. */
export function planText({ edit, report }: Plan, place: string): string {
  const lines = edit.changes.map(changeText);
  const none = lines.length === 0 ? ['  nothing of this package is there'] : [];
  const checked = report ? ['', reportText({ ...report, document: 'Check' })] : [];
  return [place, ...lines, ...none, ...checked].join('\n');
}

function changeText({ kind, component, before, fields }: ComponentChange): string {
  const { label, version, uri } = component;
  const versions = before?.version === version ? [version] : [before?.version, version];
  const shown = versions.filter((one) => one !== undefined).join(' → ');
  const what =
    fields.length === 0 ? '' : `: ${fields.join(', ')} ${fields.length === 1 ? 'differs' : 'differ'}`;
  const state = kind === 'unchanged' ? ' is there already' : what;
  return printable(`  ${MARKS[kind]} ${[label, shown].filter(Boolean).join(' ')} <${uri}>${state}`);
}

/** What nodes have made of it. */
export function listedText({ node, listed, since, afterMs, reason }: Listed, isWithdrawn: boolean): string {
  if (!listed)
    return printable(`  ${node} does not ${isWithdrawn ? 'leave it out' : 'list it'} yet: ${reason}`);
  const after = afterMs === undefined ? '' : `, after ${(afterMs / 1000).toFixed(1)} s`;
  const said = isWithdrawn ? 'lists it no more' : `lists it${since === undefined ? '' : ` since ${since}`}`;
  return printable(`  ${node} ${said}${after}${reason === undefined ? '' : `; ${reason}`}`);
}
