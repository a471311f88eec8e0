import { createHash } from 'node:crypto';
import { html, raw } from 'hono/html';
import type { Problem } from '../../lib/http/problem.js';
import type { Exchange, Invite } from './invite.js';
import { PAGE_STYLE } from './page-style.js';

type Content = ReturnType<typeof html>;

const styleHash = createHash('sha256').update(PAGE_STYLE).digest('base64');

/** The URL of the page is a credential: the page is not cached, sends no referrer, and cannot be framed. */
export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'content-security-policy': `default-src 'none'; style-src 'sha256-${styleHash}'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
  'x-robots-tag': 'noindex',
};

/** The page with the form. `written`: the text that was sent before and is not a URI; it is shown again. */
export function formPage({ invite, written }: { invite: Invite; written?: string }): string {
  const { purpose, holder, expires } = invite;
  const wrong = written !== undefined;
  return layout(
    wrong ? 'Not accepted yet: check your source' : 'You are invited to connect a source',
    html`<p>Name the place where your data is, and accept: it is then connected to you, for this purpose:</p>
<dl>
<div><dt>Purpose</dt><dd>${purpose}</dd></div>
<div><dt>For</dt><dd>${holder}</dd></div>
<div><dt>Open until</dt><dd>${time(expires)}</dd></div>
</dl>
<form method="post">
<label for="source">Your source</label>
<p class="hint" id="hint">The address of your pod or document, for example https://you.example/profile</p>
${wrong ? html`<p class="fault" id="fault">This is not a complete address. It has to begin with https:// or the like.</p>` : ''}
<input id="source" name="source" type="url" inputmode="url" required maxlength="2048" autocomplete="url" spellcheck="false"
 autofocus aria-describedby="${wrong ? 'fault hint' : 'hint'}" ${wrong ? html`aria-invalid="true" value="${written}"` : ''}>
<button>Accept</button>
</form>
<p class="faint">Were you not expecting this? Close the page, and nothing happens.</p>`,
  );
}

/** The page after the invite was accepted. */
export function acceptedPage({ source, purpose, holder, accepted }: Exchange): string {
  return layout(
    'You are connected',
    html`<p class="done">The invite has been accepted. You can close this page.</p>
<dl>
<div><dt>Source</dt><dd>${source}</dd></div>
<div><dt>Purpose</dt><dd>${purpose}</dd></div>
<div><dt>For</dt><dd>${holder}</dd></div>
<div><dt>Accepted</dt><dd>${time(accepted)}</dd></div>
</dl>`,
  );
}

const HEADINGS: Readonly<Record<number, readonly [heading: string, advice: string]>> = {
  404: [
    'This link leads nowhere',
    'Copy the whole link from the message that it came in, or ask for a new one.',
  ],
  409: ['Nothing left to accept', 'If that was you, all is well and you can close this page.'],
  410: ['This invite has expired', 'Ask whoever sent it for a new one.'],
  503: ['One moment, please', 'Load the page again in a few seconds.'],
};

/** The page that says why the invite cannot be shown or accepted, and what to do about it. */
export function problemPage({ status, detail }: Problem): string {
  const [heading, advice] = HEADINGS[status] ?? ['This did not work', 'Go back and try again.'];
  return layout(heading, html`<p>${detail}.</p><p>${advice}</p>`);
}

function layout(heading: string, content: Content): string {
  return String(html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${heading}</title>
<style>${raw(PAGE_STYLE)}</style>
</head>
<body>
<main>
<h1>${heading}</h1>
${content}
</main>
</body>
</html>
`);
}

const DATES = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' });

/** `moment`: ms since the epoch, as a numeric string. */
function time(moment: string): Content {
  const date = new Date(Number(moment));
  return html`<time datetime="${date.toISOString()}">${DATES.format(date)} UTC</time>`;
}
