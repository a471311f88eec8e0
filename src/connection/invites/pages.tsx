import type { Child } from 'hono/jsx';
import type { Config } from '../../config.js';
import type { Problem } from '../../lib/http/problem.js';
import { Question } from '../../pages/shell/forms.js';
import { address, type Fact, Facts, time } from '../../pages/shell/fragments.js';
import { type NodeView, renderPage } from '../../pages/shell/page.js';
import type { CachedResource } from '../records/cached-resource.js';
import type { Connection } from '../records/connection.js';
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

/** `purposes`: what the operator says of purposes, by their IRIs. */
export interface InvitePage extends Pick<Config['invites'], 'purposes'> {
  readonly node: () => NodeView;
  readonly invite: Invite;
}

/** A whole page for somebody who was sent here for this alone. */
function pageAlone(node: NodeView, heading: string, lead: string, content?: Child): string {
  const main = (
    <>
      <h1>{heading}</h1>
      <p class="lead">{lead}</p>
      {content}
    </>
  );
  return renderPage({ node, title: heading, scripts: [], isAlone: true, main });
}

/** No foreign address stands in the page, not even as an example in the field. */
const SOURCE_INPUT = { maxlength: 2048, autofocus: true, placeholder: undefined };

/** The page with the form. `attempt`: what was sent and not accepted, as it was written, and what is wrong with it. */
export function formPage(page: InvitePage, attempt?: { written: string; fault: string }): string {
  return pageAlone(
    page.node(),
    attempt ? 'Not accepted yet: check your source' : 'You are invited to connect a source',
    'Name the place where your data is, and accept: it is then connected to you, for this purpose.',
    <>
      {facts(page, ['Open until', time(Number(page.invite.expires))])}
      <Question
        {...{ form: { method: 'post' }, name: 'source', type: 'url', label: 'Your source', button: 'Accept' }}
        {...{ value: attempt?.written, fault: attempt?.fault, input: SOURCE_INPUT }}
        hint="The address of your pod or document, for example https://alice.pod.example/notes"
      />
      <p class="words">
        This node reads your source then, and again when its connections are refreshed. To end it, open this
        link again: what was read through it is deleted then.
      </p>
    </>,
  );
}

/** The page that says why the invite cannot be shown or accepted, and what to do about it. */
export function problemPage(node: NodeView, { detail }: Problem): string {
  const advice = 'Copy the whole link from its message, and try again; or ask whoever sent it for a new one.';
  return pageAlone(node, detail, advice);
}

/** What is connected, and how to end it. `resource`: what is cached of the source. `lead`: what has just been done. */
export function connectedPage(
  page: InvitePage,
  { source }: Connection,
  resource: CachedResource | undefined,
  lead = 'This is what you have accepted.',
): string {
  const read: Fact = ['Last read', time(resource?.refreshed ?? undefined), resource?.error];
  return pageAlone(
    page.node(),
    'You are connected',
    lead,
    <>
      {facts(page, ['Your source', address(source)], read, ...history(page.invite))}
      <p class="words">
        <strong>Keep the link to this page.</strong> It leads you back here, whenever you want to look or to
        end the connection.
      </p>
      <details class="end">
        <summary class="button">End it</summary>
        <form method="post">
          <p class="words">
            Your source is then not read any more, and what was kept of it is deleted. This cannot be taken
            back: to connect again you need a new invite.
          </p>
          <button {...{ type: 'submit', name: 'end', value: 'yes' }}>Yes, end it now</button>
        </form>
      </details>
    </>,
  );
}

/** The page behind the link of an accepted invite whose connection is gone. */
export function endedPage(page: InvitePage): string {
  return pageAlone(
    page.node(),
    'This connection has ended',
    'Your source is not read any more, and what was kept of it here has been deleted. To connect again you need a new invite.',
    facts(page, ...history(page.invite)),
  );
}

function history({ created, accepted }: Invite): Fact[] {
  return [accepted !== null && ['Accepted', time(Number(accepted))], ['Invited', time(Number(created))]];
}

/** What every page of an invite says: whom it is for, and what for; and more. */
function facts({ invite: { holder, purpose }, purposes }: InvitePage, ...more: Fact[]) {
  const { name, sentence, contact, privacy } = { ...(Object.hasOwn(purposes, purpose) && purposes[purpose]) };
  const list: Fact[] = [
    ['What for', name ?? address(purpose), sentence],
    contact !== undefined && ['Questions', address(contact)],
    privacy !== undefined && ['What becomes of your data', address(privacy)],
    ['For', address(holder)],
  ];
  return <Facts list={[...list, ...more]} />;
}
