import type { Child } from 'hono/jsx';
import type { Config } from '../../config.js';
import { counted } from '../../lib/counted.js';
import type { Problem } from '../../lib/http/problem.js';
import {
  address,
  authorName,
  type Fact,
  Facts,
  isWebAddress,
  item,
  time,
} from '../../pages/shell/fragments.js';
import { hostOf, renderPage } from '../../pages/shell/page.js';
import type { NodeView } from '../../pages/shell/view.js';
import type { CachedResource } from '../records/cached-resource.js';
import { type Connection, documentsOf } from '../records/connection.js';
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

/** What the operator says of a purpose (key `invites.purposes`); nothing where its IRI has to do. */
export type NameOf = (iri: string) => Config['invites']['purposes'][string] | undefined;

export interface InvitePage {
  readonly node: NodeView;
  readonly invite: Invite;
  readonly nameOf: NameOf;
}

/** A form that was sent and not accepted: the source as it was written, and what is wrong with it. */
export interface Attempt {
  readonly written: string;
  readonly fault: string;
}

/** A whole page for somebody who was sent here for this alone. */
function pageAlone(node: NodeView, heading: string, content: Child): string {
  const main = (
    <>
      <h1>{heading}</h1>
      {content}
    </>
  );
  return renderPage({ node, title: heading, scripts: [], isAlone: true, main });
}

/** The page with the form. */
export function formPage(page: InvitePage, attempt?: Attempt): string {
  const { node, invite } = page;
  const heading = attempt ? 'Not accepted yet: check your source' : 'You are invited to connect a source';
  return pageAlone(
    node,
    heading,
    <>
      <p class="lead">
        Name the place where your data is, and accept: it is then connected to you, for this purpose.
      </p>
      {facts(page, ['Open until', moment(invite.expires)])}
      <SourceForm attempt={attempt} />
      <h2>What happens then</h2>
      <p class="words">
        This node, {hostOf(node.baseUrl)}, reads your source now, and again when its connections are
        refreshed, until the connection is ended. To end it, open this link again: what was read through it is
        deleted then.
      </p>
      <p class="hint">Were you not expecting this? Close the page, and nothing happens.</p>
    </>,
  );
}

function SourceForm({ attempt }: { attempt: Attempt | undefined }) {
  // Not of the type url: browsers would refuse an address without https://, which is taken as meant here.
  return (
    <form class="question" method="post">
      <label for="source">Your source</label>
      <p class="hint" id="hint">
        The address of your pod or document, for example alice.pod.example/notes
      </p>
      {attempt && (
        <p class="alert" id="fault" role="alert">
          {attempt.fault}.
        </p>
      )}
      <div>
        <input
          {...{ id: 'source', name: 'source', type: 'text', inputmode: 'url', maxlength: 2048 }}
          {...{ autocomplete: 'url', autocapitalize: 'none', spellcheck: false }}
          {...(attempt && { 'aria-invalid': 'true', value: attempt.written })}
          aria-describedby={attempt ? 'fault hint' : 'hint'}
          required
          autofocus
        />
        <button type="submit">Accept</button>
      </div>
    </form>
  );
}

/** The page that says why the invite cannot be shown or accepted, and what to do about it. */
export function problemPage(node: NodeView, { detail }: Problem): string {
  const advice =
    'Copy the whole link from the message that it came in, and try again; or ask whoever sent it for a new one.';
  return pageAlone(node, detail, <p class="lead">{advice}</p>);
}

/** What has just been done, on the page of an accepted invite. */
export type Done = 'accepted' | 'not accepted again';

const LEADS: Readonly<Record<Done | 'shown', string>> = {
  shown: 'This is what you have accepted.',
  accepted: 'The invite has been accepted. Your source has just been read; below is what is kept of it.',
  'not accepted again': 'This invite was accepted before. What you have sent just now was not used.',
};

/**
 * The page behind the link of an accepted invite: what is connected, and how to end it. `connection`: none when it has ended;
 * `resources`: what is cached of each of its documents.
 */
export function holderPage(
  page: InvitePage,
  connection: Connection | undefined,
  resources: readonly (CachedResource | undefined)[],
  done?: Done,
): string {
  if (!connection) return endedPage(page);
  const { source, state } = connection;
  return pageAlone(
    page.node,
    done === 'not accepted again' ? 'Accepted already' : 'You are connected',
    <>
      <p class="lead">{LEADS[done ?? 'shown']}</p>
      {facts(page, ['Your source', address(source)], ...history(page.invite))}
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
          <button type="submit" name="end" value="yes">
            Yes, end it now
          </button>
        </form>
      </details>
      <h2>What is read, and what is kept</h2>
      {state !== 'CONNECTED' && <p class="words">Your source is not read at present.</p>}
      <ul class="rows">{documentsOf(connection).map((uri, i) => item(address(uri), kept(resources[i])))}</ul>
    </>,
  );
}

function kept({ refreshed = null, error, statements = 0 }: Partial<CachedResource> = {}): Child {
  const read =
    refreshed === null
      ? 'Not read yet, so nothing of it is kept.'
      : ['Last read on ', time(refreshed), `. Kept: ${counted(statements, 'statement')}.`];
  return [read, error && ` The latest attempt failed: ${error}.`];
}

function endedPage(page: InvitePage): string {
  const contact = page.nameOf(page.invite.purpose)?.contact;
  return pageAlone(
    page.node,
    'This connection has ended',
    <>
      <p class="lead">Your source is not read any more, and what was kept of it here has been deleted.</p>
      {facts(page, ...history(page.invite))}
      <p class="words">
        What an application has copied before it ended is not in the hands of this node: ask{' '}
        {contact === undefined ? 'whoever has invited you' : <Contact of={contact} />}. To connect again you
        need a new invite.
      </p>
    </>,
  );
}

function history({ created, accepted }: Invite): Fact[] {
  return [accepted !== null && ['Accepted', moment(accepted)], ['Invited', moment(created)]];
}

/** What every page of an invite says: whom it is for, and what for; and more. */
function facts({ invite: { holder, purpose }, nameOf }: InvitePage, ...more: Fact[]) {
  const person = isWebAddress(holder) ? (
    <a href={holder} rel="noreferrer">
      {authorName(holder)}
    </a>
  ) : (
    holder
  );
  const what = <Purpose iri={purpose} said={nameOf(purpose)} />;
  return <Facts list={[['What for', what], ['For', person], ...more]} />;
}

function Purpose({ iri, said }: { iri: string; said: ReturnType<NameOf> }) {
  if (!said) return address(iri);
  const { name, sentence, contact, privacy } = said;
  return (
    <>
      <strong>{name}</strong>
      {sentence && <p>{sentence}</p>}
      {contact && (
        <small>
          Questions: <Contact of={contact} />
        </small>
      )}
      {contact && privacy && ' · '}
      {privacy && (
        <small>
          <a href={privacy} rel="noreferrer">
            What becomes of your data
          </a>
        </small>
      )}
    </>
  );
}

function Contact({ of }: { of: string }) {
  return /^[^\s@:/]+@[^\s@:/]+$/.test(of) ? <a href={`mailto:${of}`}>{of}</a> : address(of);
}

/** `text`: ms since the epoch, as a numeric string. */
function moment(text: string): Child {
  return time(Number(text));
}
