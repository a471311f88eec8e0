import { html } from 'hono/html';
import { type Finding, worstFirst } from '../../lint/finding.js';
import type { Markup } from '../shell/page.js';

const LEVELS: Readonly<Record<Finding['level'], string>> = { ok: 'OK', advice: 'Advice', error: 'Error' };

/** Results of a check, each with what to do about it; what is wrong comes first. */
export function findingList(findings: readonly Finding[]): Markup {
  return html`<ul class="findings">${worstFirst(findings).map(
    ({ level, what, fix }) =>
      html`<li class="${level}"><strong>${LEVELS[level]}</strong> ${what}${fix ? html`<small>${fix}</small>` : ''}</li>`,
  )}</ul>`;
}
