import { html } from 'hono/html';
import type { Follower } from '../../../explain/follower.js';
import { counted } from '../../../lib/counted.js';
import { time } from '../../../web/fragments.js';
import type { Markup } from '../../../web/page.js';

/** The nodes that read this one. Their addresses are what strangers claim: text, and no links. */
export function followerSection(followers: readonly Follower[]): Markup {
  return html`<div id="reading" data-live>${
    followers.length === 0
      ? ''
      : html`<section aria-labelledby="readers"><h2 id="readers">Who reads this node</h2>
<p class="hint">Nodes that have asked it in the last 7 days, by what they say of themselves.</p>
<ul class="rows">${followers.map(row)}</ul></section>`
  }</div>`;
}

function row({ url, version, lastSeen, requests }: Follower): Markup {
  return html`<li>${url}<small>version ${version}, ${counted(requests, 'request')}, last ${time(lastSeen)}</small></li>`;
}
