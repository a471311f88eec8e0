import { html } from 'hono/html';
import { needsScript } from './fragments.js';
import type { Markup } from './page.js';
import { rootPath } from './view.js';

/** The form that takes a token, for the script `src/explorer/signed-in.ts`. `whence`: where the visitor has one from. */
export function signInForm(whence: Markup): Markup {
  return html`${needsScript('This page needs JavaScript: it keeps your token in its memory, and sends it to this node only.')}
<form id="sign-in" class="question" hidden>
<label for="token">Your token</label>
<p class="hint" id="token-hint">${whence} It stays in the memory of this page, until you close it or load it again.</p>
<div><input id="token" type="password" required autocomplete="off" aria-describedby="token-hint"><button>Sign in</button></div>
<p id="sign-in-fault" class="fault" role="alert"></p>
</form>`;
}

/** A button that has this node read a source or a document again now: a hint, as programs send it. It works without scripts. */
export function hintForm(url: string, baseUrl: string): Markup {
  return html`<form class="again" action="${rootPath(baseUrl)}/hint" method="post"><input type="hidden" name="topic" value="${url}">
<button class="second">Read it again now</button></form>`;
}
