import { html } from 'hono/html';
import { REFUSAL_ADVICE, REFUSAL_REASONS, type RefusalReason, type Refusals } from '../registry/refusal.js';
import { address } from './fragments.js';
import type { Markup } from './page.js';

/** What is refused although nobody may have meant it: the operator should look. */
const UNMEANT: readonly RefusalReason[] = ['private-address', 'not-approved', 'over-cap'];

/** How many addresses an operator should look at. */
export function unmeantRefusals({ counts }: Refusals): number {
  return UNMEANT.reduce((sum, reason) => sum + (counts[reason] ?? 0), 0);
}

/** What peers told of and is not read, by the reason; nothing when there is none. */
export function refusalsSection(refusals: Refusals): Markup {
  const reasons = REFUSAL_REASONS.filter((reason) => (refusals.counts[reason] ?? 0) > 0);
  if (reasons.length === 0) return html``;
  return html`<section aria-labelledby="refused"><h2 id="refused">Not read</h2>
<p class="hint">Peers told of these addresses too.</p><ul class="rows">
${reasons.map((reason) => item(reason, refusals))}
</ul></section>`;
}

function item(reason: RefusalReason, { counts, examples }: Refusals): Markup {
  const named = examples.filter((one) => one.reason === reason).slice(0, 5);
  const isUnmeant = UNMEANT.includes(reason);
  return html`<li><strong><span class="state ${isUnmeant ? 'limited' : 'ok'}">${counts[reason] ?? 0}</span>: ${REFUSAL_ADVICE[reason]}</strong>
${named.map(({ url, via, note }) => html`<small>${address(url)}, told by ${via}${note === undefined ? '' : html` (${note})`}</small>`)}</li>`;
}
