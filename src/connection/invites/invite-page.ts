import { html } from 'hono/html';
import { counted } from '../../lib/counted.js';
import type { Problem } from '../../lib/http/problem.js';
import { address } from '../../web/fragments.js';
import { hostOf, type Markup, renderPage } from '../../web/page.js';
import type { NodeView } from '../../web/view.js';
import type { Exchange, Invite } from '../records/invite.js';
import { type Attempt, attemptFault } from '../sources/source-trouble.js';
import { sameUri } from '../uri.js';

/** The URL of the page is a credential: the page is not cached, sends no referrer, runs no script and cannot be framed. */
export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'content-security-policy':
    "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  'x-robots-tag': 'noindex',
};

/** The page with the form. `attempt`: what was sent before, and why it was not accepted. */
export function formPage(parts: { node: NodeView; invite: Invite; attempt?: Attempt }): string {
  const { node, invite, attempt } = parts;
  return layout(
    node,
    attempt ? 'Not accepted yet: check your source' : 'You are invited to connect a source',
    html`<p class="lead">Name the place where your data is, and accept: it is then connected to you, for this purpose.</p>
${facts({
  'Who invites': inviterOf(invite, node),
  Purpose: address(invite.purpose),
  For: address(invite.holder),
  'Open until': time(invite.expires),
})}
${sourceForm(attempt)}
<h2>What happens then</h2>
<p class="words">This node, ${hostOf(node.baseUrl)}, reads your source now, and again when its connections are refreshed. The connection lasts until it is ended. ${HOW_TO_END}</p>
<p class="hint">Were you not expecting this? Close the page, and nothing happens.</p>`,
  );
}

/** The page after the invite was accepted. `triples`: what the source said; undefined when it was not read. */
export function acceptedPage(parts: {
  node: NodeView;
  exchange: Exchange;
  triples: number | undefined;
}): string {
  const { node, exchange, triples } = parts;
  const { source, purpose, holder, accepted, connection } = exchange;
  const read =
    triples === undefined
      ? 'This node has not read your source yet.'
      : `This node could read your source just now: ${counted(triples, 'statement')}.`;
  return layout(
    node,
    'You are connected',
    html`<p class="lead">The invite has been accepted. ${read} You can close this page.</p>
${facts({
  Source: address(source),
  Purpose: address(purpose),
  For: address(holder),
  Accepted: time(accepted),
  Connection: html`${connection}`,
})}
<p class="words">The connection lasts until it is ended. ${HOW_TO_END} Keep its address: it names the connection.</p>`,
  );
}

const HOW_TO_END =
  'To end it, delete the connection with an application that acts for you, or ask the operator of this node; what was read through it is deleted too.';

const HEADINGS: Readonly<Record<number, readonly [heading: string, advice: string]>> = {
  404: [
    'This link leads nowhere',
    'Copy the whole link from the message that it came in, or ask for a new one.',
  ],
  409: ['Nothing left to accept', `If that was you, all is well and you can close this page. ${HOW_TO_END}`],
  410: ['This invite has expired', 'Ask whoever sent it for a new one.'],
  503: ['One moment, please', 'Load the page again in a few seconds.'],
};

/** The page that says why the invite cannot be shown or accepted, and what to do about it. */
export function problemPage(node: NodeView, { status, detail }: Problem): string {
  const [heading, advice] = HEADINGS[status] ?? ['This did not work', 'Go back and try again.'];
  return layout(node, heading, html`<p class="lead">${detail}.</p><p class="words">${advice}</p>`);
}

function sourceForm(attempt: Attempt | undefined): Markup {
  const fault = attempt && attemptFault(attempt);
  return html`<form class="question" method="post">
<label for="source">Your source</label>
<p class="hint" id="hint">The address of your pod or document, for example https://you.example/profile</p>
${fault ? html`<p class="alert" id="fault" role="alert">${fault.says}${fault.met ? html` <small>${fault.met}</small>` : ''}</p>` : ''}
<div><input id="source" name="source" type="url" inputmode="url" required maxlength="2048" autocomplete="url" spellcheck="false"
 autofocus aria-describedby="${fault ? 'fault hint' : 'hint'}" ${attempt ? html`aria-invalid="true" value="${attempt.written}"` : ''}>
<button>Accept</button></div>
${fault?.mayInsist ? html`<p class="insist"><button name="insist" value="yes" class="second">Connect it anyway</button> <small>This node then tries to read it later.</small></p>` : ''}
</form>`;
}

function inviterOf({ inviter, holder }: Invite, { baseUrl }: NodeView): Markup {
  if (inviter === undefined) return html`Not noted: the invite is older than the version of this node`;
  if (inviter === null) return html`The operator of ${hostOf(baseUrl)}`;
  return sameUri(inviter, holder) ? html`You, with an application that acts for you` : address(inviter);
}

function facts(said: Readonly<Record<string, Markup>>): Markup {
  return html`<dl class="facts">${Object.entries(said).map(
    ([term, value]) => html`<div><dt>${term}</dt><dd>${value}</dd></div>
`,
  )}</dl>`;
}

function layout(node: NodeView, heading: string, content: Markup): string {
  const title = `${heading} – ${hostOf(node.baseUrl)}`;
  return renderPage({ node, title, scripts: [], main: html`<h1>${heading}</h1>\n${content}` });
}

const DATES = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' });

/** `moment`: ms since the epoch, as a numeric string. */
function time(moment: string): Markup {
  const date = new Date(Number(moment));
  return html`<time datetime="${date.toISOString()}">${DATES.format(date)} UTC</time>`;
}
