import type { Child } from 'hono/jsx';
import { isOfThisNode } from '../../component/source.js';
import { REFUSAL_ADVICE, REFUSAL_REASONS, type RefusalReason, UNINTENDED } from '../../core/refusal.js';
import type { SourceStatus } from '../../explain/source-status.js';
import { componentPath, documentPath, whyPath } from '../../http/paths.js';
import { counted } from '../../lib/counted.js';
import { shortName, term } from '../shell/component-words.js';
import {
  address,
  link,
  type Markup,
  type Phrase,
  type RowProps,
  Rows,
  Section,
  separated,
  since,
  sourceAtLength,
  sourceName,
  time,
  why,
} from '../shell/fragments.js';
import { renderPage } from '../shell/page.js';
import { stateOfSource } from '../shell/source-look.js';
import { deed, OperatorSection } from './operator.js';
import { Picture } from './picture.js';
import type { NetworkView } from './state.js';

/** How many modules, and addresses for the operator, the page names; `/status` has more. */
const SHOWN = 50;
/** Addresses that visitors see of those that are refused for one reason. */
const NAMED = 5;

/**
 * The page at `/network`: every source with its state, its components, and what has failed since when. Its script asks for it
 * again and again, and replaces what has changed in the elements that are marked `data-live`.
 */
export function networkPage(view: NetworkView): string {
  const { node, sources, hasToken } = view;
  const storage = view.failingStores.map(({ store, since: began, error }) => (
    <p class="alert">
      The storage of {store === 'registry' ? 'the registry' : 'the connection service'} has failed{' '}
      {since(began)}: {error}. This node tries again by itself; until that succeeds, it serves what it has.
    </p>
  ));
  const none = 'This node has no sources yet: name pods and peers in its configuration.';
  const main = (
    <>
      <h1>Network</h1>
      <p class="lead" id="summary" role="status" data-live>
        {summary(view)}
      </p>
      <p class="hint">
        This page was answered by the node <code>{view.name}</code>. <span id="live" />
      </p>
      <p class="alert" id="away" role="alert" hidden />
      {live('storage', storage)}
      {live('picture', <Picture {...view} />)}
      <Section id="sources-title" title="Sources">
        <ul class="rows sources" id="sources" data-live>
          {sources.length === 0 ? none : sources.map((source) => sourceRow(source, view))}
        </ul>
      </Section>
      <Section id="recent" title="Recent events">
        {live('events', events(view))}
      </Section>
      <Section id="refused" title="Addresses that are not read">
        {live('refusals', refused(view))}
      </Section>
      <Section id="pins-title" title="Modules">
        {live('pins', modules(view))}
      </Section>
      <OperatorSection hasToken={hasToken} />
      <p class="hint">For programs: {link(`${node.root}/status`, '/status')}</p>
    </>
  );
  const scripts = ['shell.js', ...(hasToken ? ['network.js'] : [])];
  return renderPage({ node, part: 'network', title: 'Network', main, scripts });
}

/** A part of the page that its script keeps up to date. */
function live(id: string, content: Child): Markup {
  return <div {...{ id, 'data-live': '' }}>{content}</div>;
}

function summary({ components, sources, refusals, pinning, isOperator }: NetworkView): Markup {
  const of = (kind: string) => sources.filter((source) => source.kind === kind);
  const [pods, peers] = [of('pod'), of('peer')];
  const refused = UNINTENDED.reduce((sum, reason) => sum + (refusals.counts[reason] ?? 0), 0);
  const waiting = isOperator ? (refusals.counts['not-approved'] ?? 0) : 0;
  const wait = waiting === 1 ? 'waits' : 'wait';
  const parts = [
    answering([...pods, ...peers]),
    ...(refused > 0 ? [link('#refused', `${refused.toLocaleString('en')} refused`)] : []),
    ...(waiting > 0 ? [link('#refused', `${waiting.toLocaleString('en')} ${wait} for your approval`)] : []),
    ...(pinning.changed > 0 ? [link('#pins-title', `${counted(pinning.changed, 'module')} changed`)] : []),
  ];
  const from = `from ${counted(pods.length, 'pod')} and ${counted(peers.length, 'peer')}`;
  return <>{[`${counted(components, 'component')} ${from}; `, separated(parts), '.']}</>;
}

/** How many of the sources that are polled answer. */
function answering(polled: readonly SourceStatus[]): Markup {
  const failing = polled.filter(({ state }) => state === 'failing').length;
  if (polled.length === 0) return <>no sources to read</>;
  if (failing === polled.length) return <strong class="failing">no source answers</strong>;
  return <>{failing === 0 ? 'all sources answer' : `${counted(failing, 'source')} failing`}</>;
}

function sourceRow(source: SourceStatus, { node: { baseUrl }, isOperator }: NetworkView): Markup {
  const { url, kind, failingSince, lastSuccess, nextAttempt, invalid, failing } = source;
  const isOwn = isOfThisNode(source);
  const poll = `/sync?source=${encodeURIComponent(url)}`;
  const state: Phrase[] = [
    failingSince !== undefined && since(failingSince),
    source.error,
    source.notice,
    source.live && 'tells when it changes',
    source.private && 'private: what it describes is public on this node',
  ];
  const brought: Phrase[] = [
    invalid.length > 0 && `${invalid.length} invalid`,
    failing.length > 0 && `${counted(failing.length, 'document')} unreadable`,
    !isOwn && <>known by {knownBy(source)}</>,
    lastSuccess !== undefined && dated('read', lastSuccess),
    nextAttempt !== undefined && dated('again', nextAttempt),
  ];
  return (
    <li data-key={`${kind} ${url}`}>
      <div>
        <span class="kind">{isOwn ? 'this node' : kind}</span>{' '}
        {isOwn ? sourceAtLength(source, 'What was posted here') : [address(url), ' ', why(baseUrl, url)]}
      </div>
      <div>
        {stateOfSource(source)}
        {lines(state)}
        {isOperator && !isOwn && (
          <span class="actions">
            {deed({ path: poll, words: 'Poll it now', about: url })}
            {source.shrink && deed({ path: `${poll}&accept=shrink`, words: 'Accept the loss', about: url })}
          </span>
        )}
      </div>
      <div>
        {counted(source.components, 'component')}
        {!isOwn && [' in ', link(documentPath(baseUrl, url), counted(source.documents, 'document'))]}
        {lines(brought)}
      </div>
    </li>
  );
}

function dated(words: string, at: number): Markup {
  return <>{[words, ' ', time(at)]}</>;
}

function lines(phrases: readonly Phrase[]) {
  return phrases.map((phrase) => phrase && <small>{phrase}</small>);
}

function knownBy({ configured, hops, via }: SourceStatus): Child {
  if (configured) return 'configuration';
  return [term('hop', counted(hops, 'hop')), via.length > 0 && ` via ${via.join(', ')}`];
}

/** What has happened lately, the newest first. */
function events({ events: all, node }: NetworkView): Markup {
  if (all.length === 0) return <p class="hint">Nothing has changed since this node started.</p>;
  const rows = all.map(({ at, source, what, detail, components, more = 0 }): RowProps => {
    // A component that is gone has no page of its own any more.
    const path = what === 'went' ? whyPath : componentPath;
    const links = components?.map(({ uri, label }) => link(path(node.baseUrl, uri), shortName(label))) ?? [];
    const words = more > 0 ? `, and ${more.toLocaleString('en')} more` : '';
    const kind = source.kind === 'local' ? '' : source.kind;
    const name = <strong class={what}>{what}</strong>;
    return {
      head: [name, ' ', components ? separated(links) : detail, words],
      notes: [dated(`${kind} ${sourceName(source)},`, at)],
    };
  });
  return <Rows rows={rows} />;
}

/** What the operator can decide of addresses that are not read for one of these reasons. */
const DECISIONS: Readonly<Partial<Record<RefusalReason, Readonly<Record<string, string>>>>> = {
  'not-approved': { approve: 'Approve', reject: 'Reject' },
  rejected: { forget: 'Take it back' },
};

const PASSED_ON =
  'What it describes may be listed already: a peer passes it on. Approval is for reading it at its source.';

/** What peers told of and is not read, by reason. */
function refused({ refusals: { counts, examples }, node, isOperator }: NetworkView): Markup {
  const deeds = (reason: RefusalReason, url: string) =>
    Object.entries((isOperator && DECISIONS[reason]) || {}).map(([decision, words]) =>
      deed({ path: '/discovery', body: { url, decision }, words, about: url }),
    );
  const rows = REFUSAL_REASONS.filter((reason) => counts[reason]).map((reason): RowProps => {
    const all = counts[reason] ?? 0;
    const told = examples.filter((one) => one.reason === reason).slice(0, isOperator ? SHOWN : NAMED);
    const more = told.length > 0 && all > told.length;
    return {
      head: [<strong>{counted(all, 'address', 'addresses')} not read</strong>, `: ${REFUSAL_ADVICE[reason]}`],
      notes: [
        ...told.map(({ url, kind, via }) => (
          <>
            {address(url)} {why(node.baseUrl, url)}, a {kind}, told by {via} {deeds(reason, url)}
          </>
        )),
        more && `and ${(all - told.length).toLocaleString('en')} more`,
        reason === 'not-approved' && PASSED_ON,
        reason === 'not-approved' && !isOperator && link('#operator', 'Sign in to decide, as the operator'),
      ],
    };
  });
  return rows.length === 0 ? <p class="hint">Nothing that peers told of.</p> : <Rows rows={rows} />;
}

/** Modules whose bytes are not what they were, and those that could not be had. */
function modules({ pinning, node: { baseUrl }, isOperator }: NetworkView): Markup {
  const { mode, all, examples, failing } = pinning;
  const known = (uri: string) => link(componentPath(baseUrl, uri), uri);
  const forget = (uri: string) =>
    deed({
      ...{ method: 'DELETE', path: `/pins?uri=${encodeURIComponent(uri)}` },
      ...{ words: 'Forget what was seen', about: uri },
    });
  const rows: RowProps[] = [
    ...examples.slice(0, SHOWN).map(({ uri, version = '', changedAt }) => ({
      head: [known(uri), ` ${version} `, <strong>changed</strong>],
      notes: [time(changedAt), 'it has other bytes than its pin; hosts run no others of one version'],
      deeds: [isOperator && forget(uri)],
    })),
    ...failing.slice(0, SHOWN).map(({ uri, error, at }) => ({
      head: known(uri),
      notes: [`cannot be pinned: ${error}`, time(at)],
    })),
  ];
  const which = mode === 'all' ? 'all' : 'those posted here or described by configured sources';
  const times = `It looks at ${which} within minutes, and then daily.`;
  const seen = `This node knows the bytes of ${counted(all, 'module')}. ${times}`;
  return (
    <>
      <p class="hint">{mode === 'off' ? 'Modules are not looked at (pins is off).' : seen}</p>
      {rows.length > 0 && <Rows rows={rows} />}
    </>
  );
}
