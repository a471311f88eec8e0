import { html } from 'hono/html';
import type { LatestFault } from '../component/versions.js';
import { counted } from '../lib/counted.js';
import type { Reader } from '../registry/reader.js';
import type { Refusals } from '../registry/refusal.js';
import type { SourceStatus } from '../registry/source-status.js';
import { time } from './fragments.js';
import { hostOf, type Markup, renderPage } from './page.js';
import { refusalsSection, unmeantRefusals } from './refusals.js';
import { rowTemplate, sourceRow } from './source-row.js';
import { type NodeView, rootPath } from './view.js';

export interface NetworkView {
  readonly node: NodeView;
  readonly mode: string;
  /** Components served. */
  readonly components: number;
  readonly sources: readonly SourceStatus[];
  /** Components of which several versions say that they are the latest, or none does. */
  readonly versions: readonly LatestFault[];
  readonly readers: readonly Reader[];
  /** What is not read of what peers told. */
  readonly refusals: Refusals;
}

/** The page at `/network`: every source with its state, its components, and what has failed since when. */
export function networkPage(view: NetworkView): string {
  const { node, sources } = view;
  const failing = sources.filter(({ state }) => state === 'failing').length;
  const pods = sources.filter(({ kind }) => kind === 'pod').length;
  const peers = sources.filter(({ kind }) => kind === 'peer').length;
  const main = html`<h1>Network</h1>
<p class="lead" id="summary" role="status"><span data-count="components">${counted(view.components, 'component')}</span> from
<span data-count="pods">${counted(pods, 'pod')}</span> and <span data-count="peers">${counted(peers, 'peer')}</span>;
<span data-count="failing">${failing === 0 ? 'all sources answer' : `${counted(failing, 'source')} failing`}</span>${unmeantNote(view.refusals)}.</p>
<p class="hint">This ${view.mode === 'mirror' ? 'mirror serves what its peers list' : 'registry reads pods, and peers for what it cannot read itself'}.
<span id="live"></span></p>
${table(sources)}
<template id="source-row">${rowTemplate()}</template>
${refusalsSection(view.refusals)}
${reports(sources, view.versions)}
${readBy(view.readers)}
<p class="hint">For programs: <a href="${rootPath(node.baseUrl)}/status">/status</a></p>`;
  return renderPage({ node, part: 'network', title: `Network – ${hostOf(node.baseUrl)}`, main });
}

function unmeantNote(refusals: Refusals): Markup {
  const unmeant = unmeantRefusals(refusals);
  if (unmeant === 0) return html``;
  return html`; <a class="state limited" href="#refused">${unmeant} refused</a>`;
}

/** On narrow screens, the style shows rows as blocks; the `role` attributes keep it a table for screen readers. */
const COLUMNS = ['Source', 'State', 'Brings', 'Known by', 'Last read', 'Next'];

function table(sources: readonly SourceStatus[]): Markup {
  if (sources.length === 0)
    return html`<p>This node has no sources yet: name pods and peers in its configuration.</p>`;
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Sources">
<table id="sources" role="table"><thead role="rowgroup"><tr role="row">${COLUMNS.map((name) => html`<th role="columnheader" scope="col">${name}</th>`)}</tr></thead>
<tbody role="rowgroup">${sources.map(sourceRow)}</tbody></table></div>`;
}

/** What authors have to correct: documents that cannot be read, components that break a rule, versions that contradict each other. */
function reports(sources: readonly SourceStatus[], versions: readonly LatestFault[]): Markup {
  const invalid = sources.flatMap((source) => source.invalid);
  const failing = sources.flatMap((source) => source.failing);
  if (invalid.length + failing.length + versions.length === 0) return html``;
  return html`<section aria-labelledby="reports"><h2 id="reports">For authors</h2><ul class="rows">
${failing.map(({ url, error }) => html`<li><strong>${url}</strong><small>${error}</small></li>`)}
${invalid.map(({ document, subject, reasons }) => html`<li><strong>${subject}</strong><small>in ${document}: ${reasons.join('; ')}</small></li>`)}
${versions.map(({ notice, uris }) => html`<li><strong>${notice}</strong><small>${uris.join(', ')}</small></li>`)}
</ul></section>`;
}

/** The nodes that read this one. Their addresses are what strangers claim: text, and no links. */
function readBy(readers: readonly Reader[]): Markup {
  if (readers.length === 0) return html``;
  return html`<section aria-labelledby="readers"><h2 id="readers">Who reads this node</h2>
<p class="hint">Nodes that have asked it in the last 7 days, by what they say of themselves.</p><ul class="rows">
${readers.map(
  ({ url, version, lastSeen, requests }) =>
    html`<li>${url}<small>version ${version}, ${counted(requests, 'request')}, last ${time(lastSeen)}</small></li>`,
)}
</ul></section>`;
}
