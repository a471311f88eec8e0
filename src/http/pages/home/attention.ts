import { html } from 'hono/html';
import { UNINTENDED } from '../../../core/refusal.js';
import { REFUSAL_ADVICE } from '../../../explain/refusal.js';
import { counted } from '../../../lib/counted.js';
import type { Markup } from '../../../web/page.js';
import { type NodeView, rootPath } from '../../../web/view.js';

/**
 * On the first page that an operator opens: what is not read although nobody may have meant that, and what can be done. It
 * names no address, because everybody sees it.
 */
export function attention({ baseUrl, refused = {} }: NodeView): Markup {
  const lines = UNINTENDED.flatMap((reason) => {
    const count = refused[reason] ?? 0;
    if (count === 0) return [];
    return [
      html`<li>${counted(count, 'address', 'addresses')} that peers told of ${count === 1 ? 'is' : 'are'} not read: ${REFUSAL_ADVICE[reason]}</li>`,
    ];
  });
  if (lines.length === 0) return html``;
  return html`<aside class="attention" aria-labelledby="attention"><h2 id="attention">For the operator of this node</h2>
<ul>${lines}</ul><p><a href="${rootPath(baseUrl)}/network#refused">What is refused, and why</a></p></aside>`;
}
