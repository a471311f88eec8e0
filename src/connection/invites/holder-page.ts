import { html } from 'hono/html';
import { counted } from '../../lib/counted.js';
import { address } from '../../pages/shell/fragments.js';
import type { Markup } from '../../pages/shell/page.js';
import type { CachedResource } from '../records/cached-resource.js';
import { contactOf, facts, type InvitePage, inviteFacts, pageAlone, time } from './page-parts.js';

/** What the holder is told of a document that is read for a connection. */
export interface DocumentView extends Pick<CachedResource, 'uri' | 'refreshed' | 'error'> {
  /** Statements that are stored of it; those of large documents are not all counted. */
  readonly statements: number;
  readonly isMore: boolean;
  /** What the statements are about, in single words. */
  readonly kinds: readonly string[];
}

export interface HolderPage extends InvitePage {
  /** Absent when the connection has ended. */
  readonly connection?:
    | {
        readonly source: string;
        readonly isRead: boolean;
        readonly documents: readonly DocumentView[];
        /** Documents that are not named. */
        readonly others: number;
      }
    | undefined;
  /** What has just been done. */
  readonly done?: 'accepted' | 'not accepted again' | undefined;
}

/** The page behind the link of an accepted invite: what is connected, how to end it, and what happened before. */
export function holderPage(page: HolderPage): string {
  return page.connection ? connectedPage(page, page.connection) : endedPage(page);
}

function connectedPage(
  page: HolderPage,
  { source, ...connection }: NonNullable<HolderPage['connection']>,
): string {
  const { node, invite } = page;
  return pageAlone(
    node,
    page.done === 'not accepted again' ? 'Accepted already' : 'You are connected',
    html`<p class="lead">${leadOf(page)}</p>
${facts({ 'Your source': address(source), ...inviteFacts(page), Since: time(invite.accepted ?? invite.created) })}
<p class="words"><strong>Keep the link to this page.</strong> It leads you back here, whenever you want to look or to end the connection.</p>
<details class="end"><summary class="button">End it</summary>
<form method="post"><p class="words">Your source is then not read any more, and what was kept of it is deleted. This cannot be taken back: to connect again you need a new invite.</p>
<p><button name="end" value="yes">Yes, end it now</button></p></form></details>
<h2>What is read, and what is kept</h2>
<ul class="rows">${connection.documents.map((one) => documentRow(one, connection.isRead))}${connection.others > 0 ? html`<li>and ${counted(connection.others, 'document')} more</li>` : ''}</ul>
${history(page)}`,
  );
}

function leadOf({ done, purpose }: HolderPage): string {
  if (done === 'not accepted again')
    return 'This invite was accepted before. What you have sent just now was not used.';
  if (done === undefined) return 'This is what you have accepted.';
  const accepted = purpose.name === undefined ? '' : `: ${purpose.name}`;
  return `The invite has been accepted${accepted}. Your source has just been read; below is what is kept of it.`;
}

function endedPage(page: HolderPage): string {
  const { contact } = page.purpose;
  return pageAlone(
    page.node,
    'This connection has ended',
    html`<p class="lead">Your source is not read any more, and what was kept of it here has been deleted. There is nothing left to do.</p>
${facts(inviteFacts(page))}
<p class="words">What an application has copied before it ended is not in the hands of this node: ask ${contact === undefined ? 'whoever has invited you' : contactOf(contact)}. To connect again you need a new invite.</p>
${history(page)}`,
  );
}

function history({ invite }: HolderPage): Markup {
  const { created, accepted, ended } = invite;
  const events: [string, Markup | string][] = [
    ...(invite.connection === null
      ? [
          ['Ended', ended === undefined ? 'When was not noted' : time(ended)] satisfies [
            string,
            Markup | string,
          ],
        ]
      : []),
    ['Accepted', accepted === null ? 'When was not noted' : time(accepted)],
    ['Invited', time(created)],
  ];
  return html`<h2>What happened before</h2>
<ol class="rows">${events.map(([what, when]) => html`<li>${what}<small>${when}</small></li>`)}</ol>`;
}

function documentRow(
  { uri, refreshed, error, statements, isMore, kinds }: DocumentView,
  isRead: boolean,
): Markup {
  const number = isMore ? `more than ${counted(statements, 'statement')}` : counted(statements, 'statement');
  const about = kinds.length === 0 ? '' : `: ${kinds.join(', ')}`;
  return html`<li>${address(uri)}<small>${
    refreshed === null
      ? isRead
        ? 'Not read yet, so nothing of it is kept. It is read when the connections are refreshed.'
        : 'Not read, so nothing of it is kept.'
      : html`Last read on ${time(refreshed)}. Kept: ${number}${about}.`
  }</small>${error === null ? '' : html`<small>The latest attempt failed: ${error}.</small>`}</li>`;
}
