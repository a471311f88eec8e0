import { html } from 'hono/html';
import type { Problem } from '../../lib/http/problem.js';
import { hostOf, type Markup } from '../../pages/shell/page.js';
import type { NodeView } from '../../pages/shell/view.js';
import { type Attempt, attemptFault } from '../sources/source-trouble.js';
import { facts, type InvitePage, inviteFacts, pageAlone, time } from './page-parts.js';

/** The page with the form. `attempt`: what was sent before, and why it was not accepted. */
export function formPage(page: InvitePage & { readonly attempt?: Attempt }): string {
  const { node, invite, attempt } = page;
  return pageAlone(
    node,
    attempt ? 'Not accepted yet: check your source' : 'You are invited to connect a source',
    html`<p class="lead">Name the place where your data is, and accept: it is then connected to you, for this purpose.</p>
${facts({ ...inviteFacts(page), 'Open until': time(invite.expires) })}
${sourceForm(attempt)}
<h2>What happens then</h2>
<p class="words">This node, ${hostOf(node.baseUrl)}, reads your source now, and again when its connections are refreshed, until the connection is ended. To end it, open this link again: what was read through it is deleted then.</p>
<p class="hint">Were you not expecting this? Close the page, and nothing happens.</p>`,
  );
}

const HEADINGS: Readonly<Record<number, readonly [heading: string, advice: string]>> = {
  404: [
    'This link leads nowhere',
    'Copy the whole link from the message that it came in, or ask for a new one.',
  ],
  410: ['This invite has expired', 'Ask whoever sent it for a new one.'],
  503: ['One moment, please', 'Load the page again in a few seconds.'],
};

/** The page that says why the invite cannot be shown or accepted, and what to do about it. */
export function problemPage(node: NodeView, { status, detail }: Problem): string {
  const [heading, advice] = HEADINGS[status] ?? ['This did not work', 'Go back and try again.'];
  return pageAlone(node, heading, html`<p class="lead">${detail}.</p><p class="words">${advice}</p>`);
}

function sourceForm(attempt: Attempt | undefined): Markup {
  const fault = attempt && attemptFault(attempt);
  // Not of the type url: browsers would refuse an address without https://, which is taken as meant here.
  return html`<form class="question" method="post">
<label for="source">Your source</label>
<p class="hint" id="hint">The address of your pod or document, for example alice.pod.example/notes</p>
${fault ? html`<p class="alert" id="fault" role="alert">${fault.says}${fault.met ? html` <small>${fault.met}</small>` : ''}</p>` : ''}
<div><input id="source" name="source" type="text" inputmode="url" required maxlength="2048" autocomplete="url" autocapitalize="none" spellcheck="false"
 autofocus aria-describedby="${fault ? 'fault hint' : 'hint'}" ${attempt ? html`aria-invalid="true" value="${attempt.written}"` : ''}>
<button>Accept</button></div>
</form>`;
}
