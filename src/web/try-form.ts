import { html } from 'hono/html';
import type { Markup } from './page.js';
import { type NodeView, rootPath } from './view.js';

/** The form that opens a component in the sandbox, with data that the visitor names. */
export function tryForm({ baseUrl }: NodeView, uri: string, entry: string): Markup {
  return html`<form class="question" action="${rootPath(baseUrl)}/try" method="get">
<input type="hidden" name="uri" value="${uri}">
<label for="entry">URL of your data</label>
<div><input id="entry" name="entry" type="url" required value="${entry}" placeholder="https://…" autocomplete="url" spellcheck="false">
<button>Try</button></div>
</form>`;
}
