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
  'cache-control': 'no-store',
  'content-security-policy':
    "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  'x-robots-tag': 'noindex',
};

/** What the pages show of the node, and what its operator says of purposes. */
interface Shown {
  readonly config: Pick<Config, 'invites'>;
  readonly node: () => NodeView;
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

/** The form, in whose field no address is an example. `attempt`: what was written and not accepted, and why. */
export function formPage(of: Shown, invite: Invite, attempt?: { written: string; fault: string }): string {
  return pageAlone(
    of.node(),
    attempt ? 'Not accepted yet: check your source' : 'You are invited to connect a source',
    'Name the place where your data is, and accept: it is then connected to you, for this purpose.',
    <>
      {facts(of, invite, ['Open until', time(Number(invite.expires))])}
      <Question
        {...{ form: { method: 'post' }, name: 'source', type: 'url', label: 'Your source', button: 'Accept' }}
        {...{ value: attempt?.written, fault: attempt?.fault }}
        input={{ maxlength: 2048, autofocus: true, placeholder: undefined }}
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
  of: Shown,
  invite: Invite,
  { source }: Connection,
  resource: CachedResource | undefined,
  lead = 'This is what you have accepted.',
): string {
  const read: Fact = ['Last read', time(resource?.refreshed ?? undefined), resource?.error];
  return pageAlone(
    of.node(),
    'You are connected',
    lead,
    <>
      {facts(of, invite, ['Your source', address(source)], read, ...history(invite))}
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
export function endedPage(of: Shown, invite: Invite): string {
  return pageAlone(
    of.node(),
    'This connection has ended',
    'Your source is not read any more, and what was kept of it here has been deleted. To connect again you need a new invite.',
    facts(of, invite, ...history(invite)),
  );
}

function history({ created, accepted }: Invite): Fact[] {
  return [accepted !== null && ['Accepted', time(Number(accepted))], ['Invited', time(Number(created))]];
}

/** What every page of an invite says: whom it is for, and what for; and more. */
function facts({ config }: Shown, { holder, purpose }: Invite, ...more: Fact[]) {
  const { purposes } = config.invites;
  const { name, sentence, contact, privacy } = { ...(Object.hasOwn(purposes, purpose) && purposes[purpose]) };
  const list: Fact[] = [
    ['What for', name ?? address(purpose), sentence],
    contact !== undefined && ['Questions', address(contact)],
    privacy !== undefined && ['What becomes of your data', address(privacy)],
    ['For', address(holder)],
  ];
  return <Facts list={[...list, ...more]} />;
}
