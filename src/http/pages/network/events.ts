import { html } from 'hono/html';
import type { SourceEvent } from '../../../explain/activity.js';
import { sourceName, time } from '../../../web/fragments.js';
import type { Markup } from '../../../web/page.js';

/** How many events the page shows. */
const SHOWN = 30;

/** What has happened lately, the newest first. */
export function eventSection(events: readonly SourceEvent[]): Markup {
  return html`<section aria-labelledby="recent"><h2 id="recent">Recent events</h2>
<div id="events" data-live>${events.length === 0 ? html`<p class="hint">Nothing has changed since this node started.</p>` : html`<ol class="events">${events.slice(0, SHOWN).map(row)}</ol>`}</div></section>`;
}

function row({ at, source, what, detail }: SourceEvent): Markup {
  return html`<li><span class="event ${what}">${what}</span> <span>${detail} <small>${source.kind === 'local' ? '' : source.kind} ${sourceName(source)}</small></span> ${time(at)}</li>`;
}
