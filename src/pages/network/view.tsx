import { html } from 'hono/html';
import { isOfThisNode, LOCAL, SAMPLES, STARTER } from '../../component/source.js';
import { type StoredPin, sha384Of } from '../../core/pins.js';
import { REFUSAL_REASONS } from '../../core/take.js';
import type { SourceEvent } from '../../explain/node-report.js';
import { REFUSAL_ADVICE, unintendedCount } from '../../explain/refusal.js';
import type { SourceStatus } from '../../explain/source-status.js';
import type { FailingStore } from '../../http/operations/reports.js';
import { componentPath, documentPath, rootPath, whyPath } from '../../http/paths.js';
import { counted } from '../../lib/counted.js';
import { address, separated, sourceName, time, why } from '../shell/fragments.js';
import { type Markup, renderPage } from '../shell/page.js';
import { type Phrase, type RowProps, Rows, Section } from '../shell/rows.js';
import { stateOfSource } from '../shell/source-look.js';
import { Deed, OperatorSection } from './operator.js';
import { Picture } from './picture.js';
import type { NetworkView } from './state.js';

/** How many documents, descriptions and modules the page names of a kind; `/status` has more. */
const SHOWN = 50;
/** Addresses that visitors see of those that are refused for one reason. */
const NAMED = 5;

/**
 * The page at `/network`: every source with its state, its components, and what has failed since when. Its script asks for it
 * again and again, and replaces what has changed in the elements that are marked `data-live`.
 */
export function networkPage(view: NetworkView): string {
  const { node, mode, sources, lists, hasToken } = view;
  const { baseUrl } = node;
  const isMirror = mode === 'mirror';
  const main = (
    <>
      <h1>Network</h1>
      <p class="lead" id="summary" role="status" data-live>
        {summary(view)}
      </p>
      <p class="hint">
        {isMirror
          ? 'This mirror serves what its peers list.'
          : 'This registry reads pods, and peers for the rest.'}
        {html` This page was answered by the node <code>${view.name}</code>. `}
        <span id="live" />
      </p>
      <p class="alert" id="away" role="alert" hidden />
      <Live id="storage">{view.failingStores.map(storageAlert)}</Live>
      <Live id="picture">
        <Picture state={{ baseUrl, mode, sources, lists }} />
      </Live>
      <Section id="sources-title" title="Sources">
        <ul class="rows sources" id="sources" data-live>
          {sources.map((source) => sourceRow(source, view))}
          {sources.length === 0 && 'This node has no sources yet: name pods and peers in its configuration.'}
        </ul>
      </Section>
      <Section id="recent" title="Recent events">
        <Live id="events">{events(view)}</Live>
      </Section>
      <Section id="refused" title="Refused">
        <Live id="refusals">{refused(view)}</Live>
      </Section>
      <Section id="pins-title" title="Modules">
        <Live id="pins">{modules(view)}</Live>
      </Section>
      <OperatorSection {...view} />
      <p class="hint">{html`For programs: <a href="${rootPath(baseUrl)}/status">/status</a>`}</p>
    </>
  );
  const scripts = ['shell.js', ...(hasToken ? ['network.js'] : [])];
  return renderPage({ node, part: 'network', title: 'Network', main, scripts });
}

function Live({ id, children }: { readonly id: string; readonly children?: unknown }): Markup {
  return (
    <div id={id} data-live>
      {children}
    </div>
  );
}

function summary({ components, sources, refusals, pinning }: NetworkView): Markup {
  const of = (kind: string) => sources.filter((source) => source.kind === kind);
  const [pods, peers] = [of('pod'), of('peer')];
  const count = refusalCount({ sources, refusals });
  const others = [
    ...(count > 0 ? [html`<a href="#refused">${count.toLocaleString('en')} refused</a>`] : []),
    ...(pinning.changed > 0
      ? [html`<a href="#pins-title">${counted(pinning.changed, 'module')} changed</a>`]
      : []),
  ];
  return html`${counted(components, 'component')} from ${counted(pods.length, 'pod')} and
${counted(peers.length, 'peer')};
${separated([answering([...pods, ...peers]), ...others])}.`;
}

/** How many of the sources that are polled answer. */
function answering(polled: readonly SourceStatus[]): Markup {
  const failing = polled.filter(({ state }) => state === 'failing').length;
  if (polled.length === 0) return html`no sources to read`;
  if (failing === 0) return html`all sources answer`;
  if (failing < polled.length) return html`${counted(failing, 'source')} failing`;
  return html`<strong class="failing">no source answers</strong>`;
}

/** How many documents, descriptions and addresses this node does not take up, and somebody should look at. */
function refusalCount({ sources, refusals }: Pick<NetworkView, 'sources' | 'refusals'>): number {
  const ofSource = ({ invalid, failing, omitted }: SourceStatus) =>
    invalid.length + failing.length + (omitted ? omitted.components + omitted.documents : 0);
  return sources.reduce((sum, source) => sum + ofSource(source), 0) + unintendedCount(refusals);
}

/** What the node can do while a storage fails, and what not. */
function storageAlert({ store, since, error }: FailingStore): Markup {
  const whose = store === 'registry' ? 'the registry' : 'the connection service';
  return html`<p class="alert">The storage of ${whose} has failed since ${time(since)}: ${error}. This node
tries again by itself; until that succeeds, it serves what it has, and nothing new is stored.</p>`;
}

/** What the node holds by itself, in words. */
const OF_THIS_NODE: ReadonlyMap<string, string> = new Map([
  [LOCAL.url, 'what was posted here'],
  [SAMPLES.url, 'samples that come with it'],
  [STARTER.url, 'the starter set that comes with it'],
]);

function sourceRow(source: SourceStatus, { node: { baseUrl }, isOperator }: NetworkView): Markup {
  const { url, kind, error, failingSince, shrink, lastSuccess, lastAttempt, nextAttempt } = source;
  const isOwn = isOfThisNode(source);
  const documents = counted(source.documents, 'document');
  const poll = `/sync?source=${encodeURIComponent(url)}`;
  const notes: Phrase[] = [
    failingSince !== undefined && html`since ${time(failingSince)}`,
    error,
    shrink && pendingWords(shrink),
    source.live && 'tells when it changes',
    source.private && 'private: what it describes is public on this node',
  ];
  return (
    <li data-key={`${kind} ${url}`}>
      <div>
        <span class="kind">{isOwn ? 'this node' : kind}</span>{' '}
        {OF_THIS_NODE.get(url) ?? [address(url), ' ', why(baseUrl, url)]}
      </div>
      <div>
        {stateOfSource(source)}
        {notes.map((note) => note && <small>{note}</small>)}
        {isOperator && !isOwn && (
          <span class="actions">
            <Deed path={poll} words="Poll it now" />
            {shrink && <Deed path={`${poll}&accept=shrink`} words="Accept the loss" />}
          </span>
        )}
      </div>
      <div>
        {counted(source.components, 'component')}
        {kind === 'pod' && html` in <a href="${documentPath(baseUrl, url)}">${documents}</a>`}
        <small>{troubles(source)}</small>
        {!isOwn && <small>known by {knownBy(source)}</small>}
        {lastSuccess !== undefined && <small>read {time(lastSuccess)}</small>}
        {source.state === 'failing' && lastAttempt !== undefined && <small>tried {time(lastAttempt)}</small>}
        {nextAttempt !== undefined && <small>again {time(nextAttempt)}</small>}
      </div>
    </li>
  );
}

/** Why a source is held. */
function pendingWords({ from, to, since }: NonNullable<SourceStatus['shrink']>): Markup {
  return html`removals pending: ${to.toLocaleString('en')} of ${counted(from, 'component')}
${to === 1 ? 'is' : 'are'} left there since ${time(since)}. The others are served until its operator accepts that, or more polls agree.`;
}

function knownBy({ configured, hops, via }: SourceStatus): string {
  if (configured) return 'configuration';
  return `${counted(hops, 'hop')}${via.length > 0 ? ` via ${via.join(', ')}` : ''}`;
}

function troubles({ invalid, failing, refused: count = 0 }: SourceStatus): string {
  const parts = [
    invalid.length > 0 && `${invalid.length} invalid`,
    failing.length > 0 && `${counted(failing.length, 'document')} unreadable`,
    count > 0 && `tells of ${counted(count, 'address that is', 'addresses that are')} not read`,
  ];
  return parts.filter(Boolean).join(', ');
}

/** What has happened lately, the newest first. */
function events({ activity, node }: NetworkView): Markup {
  if (activity.events.length === 0) return <p class="hint">Nothing has changed since this node started.</p>;
  const row = (event: SourceEvent) => {
    const { at, what, detail, source, components } = event;
    const kind = source.kind === 'local' ? '' : source.kind;
    return html`<li><span class="event ${what}">${what}</span>
<span>${components ? named(event, node.baseUrl) : detail} <small>${kind} ${sourceName(source)}</small></span> ${time(at)}</li>`;
  };
  return <ol class="events">{activity.events.map(row)}</ol>;
}

/** The first few components, and how many more there are. A component that is gone has no page of its own any more. */
function named({ what, components = [], more }: SourceEvent, baseUrl: string): Markup {
  const path = what === 'went' ? whyPath : componentPath;
  const links = components.map(
    ({ uri, label }) => html`<a href="${path(baseUrl, uri)}">${label}</a> <small>${uri}</small>`,
  );
  return html`${separated(links)}${more === undefined ? '' : ` and ${more.toLocaleString('en')} more`}`;
}

/** What this node does not take up, and why: for authors and operators, who can mend it. */
function refused(view: NetworkView): Markup {
  const { sources, node } = view;
  const { baseUrl } = node;
  const link = (url: string) => html`<a href="${documentPath(baseUrl, url)}">${url}</a>`;
  const documents = sources.flatMap(({ failing }) => failing).slice(0, SHOWN);
  const descriptions = sources.flatMap(({ invalid }) => invalid).slice(0, SHOWN);
  const rows: RowProps[] = [
    ...documents.map(({ url, error }) => ({
      head: [link(url), ' ', why(baseUrl, url)],
      notes: [`cannot be read: ${error}`],
    })),
    ...descriptions.map(({ document, subject, reasons }) => ({
      head: [html`<strong>${subject}</strong> `, why(baseUrl, subject)],
      notes: [html`in ${link(document)}: ${reasons.join('; ')}`],
    })),
    ...sources.flatMap(({ url, omitted }) => (omitted ? [leftOut(url, omitted, baseUrl)] : [])),
    ...addresses(view),
  ];
  if (rows.length === 0) return <p class="hint">Nothing: all that the sources say is taken up.</p>;
  const root = rootPath(baseUrl);
  return html`${<Rows rows={rows} />}<p class="hint"><a href="${root}/status">/status</a> has every one;
addresses that are not public, with the operator token. Authors can <a href="${root}/publish#checking">check</a> their documents.</p>`;
}

function leftOut(url: string, omitted: NonNullable<SourceStatus['omitted']>, baseUrl: string): RowProps {
  const what = `${counted(omitted.components, 'component')} and ${counted(omitted.documents, 'document')}`;
  const notes = [`${what}, because this node keeps no more of it`];
  return { head: [address(url), ' ', why(baseUrl, url)], notes };
}

/** What peers told of and is not read. */
function addresses({ refusals: { counts, examples }, node, isOperator }: NetworkView): RowProps[] {
  return REFUSAL_REASONS.filter((reason) => (counts[reason] ?? 0) > 0).map((reason) => {
    const told = examples.filter((one) => one.reason === reason);
    const takeBack = (url: string) =>
      isOperator && reason === 'rejected' ? (
        <Deed path="/discovery" body={{ url, decision: 'forget' }} words="Take it back" />
      ) : (
        ''
      );
    const count = counted(counts[reason] ?? 0, 'address', 'addresses');
    return {
      head: html`<strong>${count} not read</strong>: ${REFUSAL_ADVICE[reason]}`,
      notes: told
        .slice(0, isOperator ? SHOWN : NAMED)
        .map(
          ({ url, via }) => html`${address(url)} ${why(node.baseUrl, url)}, told by ${via} ${takeBack(url)}`,
        ),
    };
  });
}

/** Modules whose bytes are not what they were, and those that could not be had. */
function modules({ pinning, node: { baseUrl }, isOperator }: NetworkView): Markup {
  const { mode, all, changed, examples, failing } = pinning;
  const link = (uri: string) => html`<a href="${componentPath(baseUrl, uri)}">${uri}</a>`;
  const forget = (uri: string) => (
    <Deed method="DELETE" path={`/pins?uri=${encodeURIComponent(uri)}`} words="Forget what was seen" />
  );
  const rows: RowProps[] = [
    ...examples.slice(0, SHOWN).map((pin) => ({
      head: html`${link(pin.uri)} ${pin.version ?? ''} <strong>changed</strong>`,
      notes: [
        pin.changedAt !== undefined && time(pin.changedAt),
        `${whatChanged(pin)}; hosts do not run it before it has a new version`,
      ],
      deeds: [isOperator && forget(pin.uri)],
    })),
    ...failing.slice(0, SHOWN).map(({ uri, error, at }) => ({
      head: link(uri),
      notes: [html`cannot be pinned: ${error}, ${time(at)}`],
    })),
  ];
  const known =
    mode === 'off'
      ? 'Modules are not looked at (pins is off).'
      : `This node knows the bytes of ${counted(all, 'module')}.`;
  const others = changed === 0 ? '' : ` ${counted(changed, 'module')} changed under the same version.`;
  return html`<p class="hint">${known}${others}</p>${rows.length > 0 ? <Rows rows={rows} /> : ''}`;
}

function whatChanged({ first, last, files = [] }: StoredPin): string {
  const others = files.filter(({ changed }) => changed !== undefined).map(({ uri }) => uri);
  if (others.length > 0) return `other bytes in ${others.join(', ')}`;
  const is = sha384Of(last);
  if (first === undefined || first === last) return `is not what its description promises: ${is}`;
  return `from ${sha384Of(first)} to ${is}`;
}
