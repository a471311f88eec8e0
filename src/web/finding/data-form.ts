import { html } from 'hono/html';
import type { Markup } from '../page.js';
import { type NodeView, rootPath } from '../view.js';

/** The second question: which component renders the data at this URL? */
export function dataForm({ baseUrl }: NodeView, label: string, url = ''): Markup {
  return html`<form class="question" action="${rootPath(baseUrl)}/data" method="get">
<label for="url">${label}</label>
<div><input id="url" name="url" type="url" required value="${url}" aria-describedby="url-hint" placeholder="https://…" autocomplete="url" spellcheck="false">
<button>What renders it?</button></div>
<p class="hint" id="url-hint">The URL of a profile, a list, a recipe … Your browser reads it, this node does not.</p>
</form>`;
}
