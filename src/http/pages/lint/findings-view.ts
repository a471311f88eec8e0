import { html } from 'hono/html';
import type { Finding } from '../../../lint/finding.js';
import type { Markup } from '../../../web/page.js';

const MARKS: Readonly<Record<Finding['level'], string>> = { ok: 'OK', advice: 'Advice', error: 'Error' };

/** Results of a check, each with what to do about it. */
export function findingList(findings: readonly Finding[]): Markup {
  return html`<ul class="findings">${findings.map(
    ({ level, what, fix }) =>
      html`<li class="${level}"><strong>${MARKS[level]}</strong> ${what}${fix ? html`<small>${fix}</small>` : ''}</li>`,
  )}</ul>`;
}
