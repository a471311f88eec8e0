import { html } from 'hono/html';
import { hintForm } from '../../../web/forms.js';
import { time } from '../../../web/fragments.js';
import type { Markup } from '../../../web/page.js';
import type { NodeView } from '../../../web/view.js';

/** When a source was read, and when that is due again; ms since the Unix epoch. */
export interface Polled {
  readonly lastSuccess?: number | undefined;
  readonly nextAttempt?: number | undefined;
}

export function polledWords({ lastSuccess, nextAttempt }: Polled): Markup {
  const read = lastSuccess === undefined ? '' : html`<span>read ${time(lastSuccess)}</span>`;
  return html`${read}${nextAttempt === undefined ? '' : html`<span>next ${time(nextAttempt)}</span>`}`;
}

/** The button that has it read again, and after that what becomes of it. `isAsked`: it has been pressed. */
export function again(url: string, { baseUrl }: NodeView, isAsked: boolean): Markup {
  const said = html`<p class="hint" role="status">This node was asked to read it again, and does so within seconds if nobody has asked
within the last minute. This page follows by itself.</p>`;
  return html`${isAsked ? said : ''}${hintForm(url, baseUrl)}`;
}
