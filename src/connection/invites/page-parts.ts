import { html } from 'hono/html';
import { canParseUrl } from '../../lib/can-parse-url.js';
import { once } from '../../lib/once.js';
import { address, authorName } from '../../web/fragments.js';
import { hostOf, type Markup, renderPage } from '../../web/page.js';
import type { NodeView } from '../../web/view.js';
import type { Invite } from '../records/invite.js';
import type { Named } from '../sources/names.js';
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

/** Who invites and for what, as people say it. */
export interface InviteNames {
  readonly purpose: Named;
  /** Absent where the operator or the holder has made the invite, or nobody knows who. */
  readonly inviter?: Named | undefined;
}

export interface InvitePage extends InviteNames {
  readonly node: NodeView;
  readonly invite: Invite;
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

/** What every page of an invite says: who invites whom, and for what. */
export function inviteFacts(page: InvitePage): Readonly<Record<string, Markup>> {
  return {
    'Who invites': inviterOf(page),
    'What for': purposeFact(page.purpose),
    For: personOf(page.invite.holder),
  };
}

function purposeFact(purpose: Named): Markup {
  const { sentence, contact, privacy } = purpose;
  return html`${nameOf(purpose)}${sentence === undefined ? '' : html`<br>${sentence}`}${
    contact === undefined && privacy === undefined
      ? ''
      : html`<br><small>${contact === undefined ? '' : html`Questions: ${contactOf(contact)}`}${contact !== undefined && privacy !== undefined ? ' · ' : ''}${
          privacy === undefined
            ? ''
            : html`<a href="${privacy}" rel="noreferrer">What becomes of your data</a>`
        }</small>`
  }`;
}

/** A name that the operator did not give stands beside the address whose document gave it. */
function nameOf({ iri, name, by }: Named): Markup {
  if (by === 'nobody') return address(iri);
  return by === 'operator'
    ? html`<strong>${name}</strong>`
    : html`<strong>${name}</strong> <small>${address(iri)}</small>`;
}

export function contactOf(contact: string): Markup {
  return /^[^\s@:/]+@[^\s@:/]+$/.test(contact)
    ? html`<a href="mailto:${contact}">${contact}</a>`
    : address(contact);
}

function inviterOf({ invite: { inviter, holder }, inviter: named, node }: InvitePage): Markup {
  if (named) return nameOf(named);
  if (inviter === undefined) return html`Not noted: the invite is older than the version of this node`;
  if (typeof inviter === 'string' && sameUri(inviter, holder))
    return html`You, with an application that acts for you`;
  return html`The operator of ${hostOf(node.baseUrl)}`;
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
