import { html } from 'hono/html';
import { canParseUrl } from '../../lib/can-parse-url.js';
import { once } from '../../lib/once.js';
import { address, authorName } from '../../pages/shell/fragments.js';
import { type Markup, renderPage } from '../../pages/shell/page.js';
import type { NodeView } from '../../pages/shell/view.js';
import type { NamedPurpose } from '../purpose-names.js';
import type { Invite } from '../records/invite.js';

/** The URL of the page is a credential: the page is not cached, sends no referrer, runs no script and cannot be framed. */
export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'content-security-policy':
    "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  'x-robots-tag': 'noindex',
};

export interface InvitePage {
  readonly node: NodeView;
  readonly invite: Invite;
  readonly purpose: NamedPurpose;
}

/** A whole page for somebody who was sent here for this alone. */
export function pageAlone(node: NodeView, heading: string, content: Markup): string {
  return renderPage({
    node,
    title: heading,
    scripts: [],
    isAlone: true,
    main: html`<h1>${heading}</h1>\n${content}`,
  });
}

export function facts(said: Readonly<Record<string, Markup>>): Markup {
  return html`<dl class="facts">${Object.entries(said).map(
    ([term, value]) => html`<div><dt>${term}</dt><dd>${value}</dd></div>
`,
  )}</dl>`;
}

/** What every page of an invite says: whom it is for, and what for. */
export function inviteFacts(page: InvitePage): Readonly<Record<string, Markup>> {
  return {
    'What for': purposeFact(page.purpose),
    For: personOf(page.invite.holder),
  };
}

function purposeFact({ iri, name, sentence, contact, privacy }: NamedPurpose): Markup {
  return html`${name === undefined ? address(iri) : html`<strong>${name}</strong>`}${sentence === undefined ? '' : html`<br>${sentence}`}${
    contact === undefined && privacy === undefined
      ? ''
      : html`<br><small>${contact === undefined ? '' : html`Questions: ${contactOf(contact)}`}${contact !== undefined && privacy !== undefined ? ' · ' : ''}${
          privacy === undefined
            ? ''
            : html`<a href="${privacy}" rel="noreferrer">What becomes of your data</a>`
        }</small>`
  }`;
}

export function contactOf(contact: string): Markup {
  return /^[^\s@:/]+@[^\s@:/]+$/.test(contact)
    ? html`<a href="mailto:${contact}">${contact}</a>`
    : address(contact);
}

function personOf(holder: string): Markup {
  return canParseUrl(holder) && /^https?:/i.test(holder)
    ? html`<a href="${holder}" rel="noreferrer">${authorName(holder)}</a>`
    : html`${holder}`;
}

/** Made when it is needed: that takes longer than the rest of this file. */
const dates = once(
  () => new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' }),
);

/** `moment`: ms since the epoch, as a number or a numeric string. */
export function time(moment: string | number): Markup {
  const date = new Date(Number(moment));
  return html`<time datetime="${date.toISOString()}">${dates().format(date)} UTC</time>`;
}
