import { html } from 'hono/html';
import type { Catalog } from '../../catalog/catalog.js';
import type { Config } from '../../config.js';
import type { ComponentName } from '../../core/document-change.js';
import { type StoredPin, sha384Of } from '../../core/pins.js';
import type { Follower, Pinning, SourceEvent } from '../../explain/node-report.js';
import type { SourceStatus } from '../../explain/source-status.js';
import type { FailingStore, Reports } from '../../http/operations/reports.js';
import type { VersionNoticesOf } from '../../http/operations/version-notices.js';
import { componentPath, rootPath, whyPath } from '../../http/paths.js';
import { counted } from '../../lib/counted.js';
import type { Handler } from '../../lib/http/resource.js';
import { separated, sourceName, time } from '../shell/fragments.js';
import { type Markup, renderPage } from '../shell/page.js';
import { type PageParts, pageAnswer } from '../shell/page-answer.js';
import { operatorDesk } from './operator-desk.js';
import { picture } from './picture.js';
import { contradictionSection, refusalCount, refusalSection } from './refusals.js';
import { sourceRow } from './source-row.js';

export interface NetworkPageParts extends PageParts {
  readonly catalog: Catalog;
  readonly reports: Reports;
  readonly versionNotices: VersionNoticesOf;
  readonly config: Pick<Config, 'mode' | 'operatorToken'>;
}

/** `GET /network`: the status as a page. */
export function getNetworkPage(parts: NetworkPageParts): Handler {
  return async () => pageAnswer(networkPage(await readNetwork(parts)));
}

type NetworkView = Awaited<ReturnType<typeof readNetwork>>;

async function readNetwork({ node, catalog, reports, versionNotices, config }: NetworkPageParts) {
  return {
    node: node(),
    name: reports.name,
    mode: config.mode,
    hasToken: config.operatorToken !== undefined,
    components: (await catalog.state()).components,
    lists: await catalog.network(),
    // Components of which several versions say that they are the latest, or none does.
    versions: (await versionNotices(catalog))?.notices ?? [],
    sources: await reports.status(),
    followers: reports.followers(),
    refusals: reports.refusals(),
    activity: reports.activity(),
    pinning: await reports.pinning(),
    failingStores: reports.failingStores(),
  };
}

/**
 * The page at `/network`: every source with its state, its components, and what has failed since when. Its script asks
 * for it again and again, and replaces what has changed in the elements that are marked `data-live`.
 */
function networkPage(view: NetworkView): string {
  const {
    node,
    name,
    mode,
    sources,
    lists,
    activity,
    versions,
    followers,
    refusals,
    pinning,
    failingStores,
  } = view;
  const { baseUrl } = node;
  const main = html`<h1>Network</h1>
<p class="lead" id="summary" role="status" data-live>${summary(view)}</p>
<p class="hint">This ${mode === 'mirror' ? 'mirror serves what its peers list' : 'registry reads pods, and peers for what it cannot read itself'}. This page was answered by the node <code>${name}</code>.
<span id="live"></span></p>
<p class="alert" id="away" role="alert" hidden></p>
<div id="storage" data-live>${failingStores.map(storageAlert)}</div>
${picture({ baseUrl, mode, sources, lists })}
<section aria-labelledby="sources-title"><h2 id="sources-title">Sources</h2>${table(view)}</section>
${eventSection(activity.events, baseUrl)}
${refusalSection({ baseUrl, sources, refusals })}
${pinSection(pinning, node)}
${contradictionSection(versions, baseUrl)}
${followerSection(followers)}
${operatorDesk(view.hasToken)}
<p class="hint">For programs: <a href="${rootPath(baseUrl)}/status">/status</a></p>`;
  return renderPage({
    node,
    part: 'network',
    title: 'Network',
    main,
    scripts: ['shell.js', ...(view.hasToken ? ['network.js'] : [])],
  });
}

function summary({ components, sources, refusals, pinning }: NetworkView): Markup {
  const of = (kind: string) => sources.filter((source) => source.kind === kind).length;
  const refused = refusalCount({ sources, refusals });
  const { changed = 0 } = pinning ?? {};
  return html`${counted(components, 'component')} from ${counted(of('pod'), 'pod')} and ${counted(of('peer'), 'peer')};
${answering(sources.filter(isPolled))}${refused === 0 ? '' : html`, <a href="#refused">${refused.toLocaleString('en')} refused</a>`}${changed === 0 ? '' : html`, <a href="#pins-title">${counted(changed, 'module')} changed</a>`}.`;
}

const isPolled = ({ kind }: SourceStatus) => kind === 'pod' || kind === 'peer';

/** How many of the sources that are polled answer. */
function answering(polled: readonly SourceStatus[]): Markup {
  const failing = polled.filter(({ state }) => state === 'failing').length;
  if (polled.length === 0) return html`no sources to read`;
  if (failing === 0) return html`all sources answer`;
  if (failing < polled.length) return html`${counted(failing, 'source')} failing`;
  return html`<strong class="failing">no source answers</strong>`;
}

/** On narrow screens, the style shows rows as blocks; the `role` attributes keep it a table for screen readers. */
const COLUMNS = ['Source', 'State', 'Brings', 'Known by', 'Last read'];

function table({ node, sources }: NetworkView): Markup {
  const rows = sources.map((source) => sourceRow(source, node.baseUrl));
  const none = html`<tr role="row" data-key="none"><td role="cell" colspan="${COLUMNS.length}">This node has no sources yet: name pods and peers in its configuration.</td></tr>`;
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Table of sources">
<table role="table"><thead role="rowgroup"><tr role="row">${COLUMNS.map((name) => html`<th role="columnheader" scope="col">${name}</th>`)}</tr></thead>
<tbody role="rowgroup" id="sources" data-live>${rows.length === 0 ? none : rows}</tbody></table></div>`;
}

/** How many modules the page shows; `/status` has more. */
const SHOWN = 20;

/** What has happened lately, the newest first. */
function eventSection(events: readonly SourceEvent[], baseUrl: string): Markup {
  return html`<section aria-labelledby="recent"><h2 id="recent">Recent events</h2>
<div id="events" data-live>${events.length === 0 ? html`<p class="hint">Nothing has changed since this node started.</p>` : html`<ol class="events">${events.map((event) => eventRow(event, baseUrl))}</ol>`}</div></section>`;
}

function eventRow(event: SourceEvent, baseUrl: string): Markup {
  const { at, source, what, detail, components } = event;
  const told = components ? named(event, components, baseUrl) : detail;
  return html`<li><span class="event ${what}">${what}</span> <span>${told} <small>${source.kind === 'local' ? '' : source.kind} ${sourceName(source)}</small></span> ${time(at)}</li>`;
}

/** The first few components, and how many more there are. A component that is gone has no page of its own any more. */
function named({ what, more }: SourceEvent, components: readonly ComponentName[], baseUrl: string): Markup {
  const path = what === 'went' ? whyPath : componentPath;
  const links = components.map(
    ({ uri, label }) => html`<a href="${path(baseUrl, uri)}">${label}</a> <small>${uri}</small>`,
  );
  return html`${separated(links)}${more === undefined ? '' : ` and ${more.toLocaleString('en')} more`}`;
}

/** The nodes that read this one. Their addresses are what strangers claim: text, and no links. */
function followerSection(followers: readonly Follower[]): Markup {
  return html`<div id="reading" data-live>${
    followers.length === 0
      ? ''
      : html`<section aria-labelledby="readers"><h2 id="readers">Who reads this node</h2>
<p class="hint">Nodes that have asked it in the last 7 days, by what they say of themselves.</p>
<ul class="rows">${followers.map(followerRow)}</ul></section>`
  }</div>`;
}

function followerRow({ url, version, lastSeen, requests }: Follower): Markup {
  return html`<li>${url}<small>version ${version}, ${counted(requests, 'request')}, last ${time(lastSeen)}</small></li>`;
}

/** What the node can do while a storage fails, and what not. */
function storageAlert({ store, since, error }: FailingStore): Markup {
  const whose = store === 'registry' ? 'the registry' : 'the connection service';
  return html`<p class="alert">The storage of ${whose} has failed since ${time(since)}: ${error}. This node tries again by itself; until that succeeds, it serves what it has, and nothing new is stored.</p>`;
}

/** Modules whose bytes are not what they were, and those that could not be had. */
function pinSection(pinning: Pinning, { baseUrl }: { readonly baseUrl: string }): Markup {
  const { mode, all, changed, examples, failing } = pinning;
  const head =
    mode === 'off'
      ? 'Modules are not looked at (pins is off).'
      : `This node knows the bytes of ${counted(all, 'module')}.`;
  const other = examples.slice(0, SHOWN).map(
    ({ changedAt, uri, version, ...pin }) => html`<li>
<a href="${componentPath(baseUrl, uri)}">${uri}</a> ${version ?? ''} <strong>changed</strong>
<small>${changedAt === undefined ? '' : html`${time(changedAt)}, `}${whatChanged(pin)}; hosts do not run it before it has a new version</small></li>`,
  );
  const missing = failing
    .slice(0, SHOWN)
    .map(
      ({ uri, error, at }) =>
        html`<li><a href="${componentPath(baseUrl, uri)}">${uri}</a> <small>cannot be pinned: ${error}, ${time(at)}</small></li>`,
    );
  return html`<section aria-labelledby="pins-title"><h2 id="pins-title">Modules</h2>
<div id="pins" data-live><p class="hint">${head}${changed === 0 ? '' : ` ${counted(changed, 'module')} changed under the same version.`}</p>
${other.length + missing.length === 0 ? '' : html`<ul class="rows">${other}${missing}</ul>`}</div></section>`;
}

function whatChanged({ first, last, files = [] }: Pick<StoredPin, 'first' | 'last' | 'files'>): string {
  const others = files.filter(({ changed }) => changed !== undefined).map(({ uri }) => uri);
  if (others.length > 0) return `other bytes in ${others.join(', ')}`;
  const is = sha384Of(last);
  if (first === undefined || first === last) return `is not what its description promises: ${is}`;
  return `from ${sha384Of(first)} to ${is}`;
}
