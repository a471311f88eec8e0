import { html } from 'hono/html';
import { needsScript } from '../shell/fragments.js';
import type { Markup } from '../shell/page.js';

/**
 * What the operator decides on the page /network. It is the same for everybody: the script `explorer-network.js` fills it
 * with what the operator token opens, and sends the decisions.
 * @param hasToken does this node have such a token?
 */
export function operatorDesk(hasToken: boolean): Markup {
  const desk = hasToken
    ? html`${SIGN_IN}${DESK}`
    : html`<p class="hint">This node has no operator token. Start it with one in the environment variable <code>REGISTRY_OPERATOR_TOKEN</code> to decide here.</p>`;
  return html`<section aria-labelledby="operator"><h2 id="operator">For the operator</h2>${desk}</section>`;
}

const SIGN_IN = html`${needsScript('To decide here needs JavaScript: the page keeps your token in its memory, and sends it to this node only.')}
<form id="sign-in" class="question" hidden>
<label for="token">Your token</label>
<p class="hint" id="token-hint">The operator token, from the environment variable <code>REGISTRY_OPERATOR_TOKEN</code>: it opens what waits for you here. It stays in the memory of this page, until you close it or load it again.</p>
<div><input id="token" type="password" required autocomplete="off" aria-describedby="token-hint"><button>Sign in</button></div>
<p id="sign-in-fault" class="fault" role="alert"></p>
</form>`;

/** What waits; a list in which nothing does is hidden. */
const LISTS = [
  { id: 'approval', title: 'Waiting for approval' },
  { id: 'removals', title: 'Pending removals' },
  { id: 'modules', title: 'Changed modules' },
  { id: 'polled', title: 'Failing and paused sources' },
  { id: 'unread', title: 'Not read' },
] as const;

const DESK = html`<div id="desk" class="desk" tabindex="-1" hidden>
<p class="hint" id="state" role="status"></p>
${LISTS.map(
  ({ id, title }) => html`<section id="${id}" aria-labelledby="${id}-title" hidden>
<h3 id="${id}-title">${title} (<span class="count">0</span>)</h3><ul class="rows"></ul></section>
`,
)}
<form id="rehearse" class="question"><label for="rehearse-url">What would trusting it lead to?</label>
<p class="hint" id="rehearse-hint">The address of a pod or of a node. It is read once, and nothing changes.</p>
<div><input id="rehearse-url" type="url" required maxlength="2048" spellcheck="false" aria-describedby="rehearse-hint"><button>Rehearse</button></div>
<p id="rehearse-said" role="status"></p></form>
<pre id="rehearsal" tabindex="0" aria-label="The rehearsal" hidden></pre>
<p><button type="button" id="sign-out" class="second">Sign out</button></p>
</div>`;
