import { html } from 'hono/html';
import { rootPath } from '../../http/paths.js';
import type { Markup } from './page.js';

/** A button that has this node read a source or a document again now: a hint, as programs send it. It works without scripts. */
export function hintForm(url: string, baseUrl: string): Markup {
  return html`<form class="again" action="${rootPath(baseUrl)}/hint" method="post"><input type="hidden" name="topic" value="${url}">
<button class="second">Read it again now</button></form>`;
}
