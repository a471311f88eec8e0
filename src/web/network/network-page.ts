import { html } from 'hono/html';
import { counted } from '../../lib/counted.js';
import type { SourceStatus } from '../../registry/source-status.js';
import { hostOf, type Markup, renderPage } from '../page.js';
import { type NodeView, rootPath } from '../view.js';
import { rowTemplate, sourceRow } from './source-row.js';

export interface NetworkView {
  readonly node: NodeView;
  readonly mode: string;
  /** Components served. */
  readonly components: number;
  readonly sources: readonly SourceStatus[];
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
<span data-count="failing">${failing === 0 ? 'all sources answer' : `${counted(failing, 'source')} failing`}</span>.</p>
<p class="hint">This ${view.mode === 'mirror' ? 'mirror serves what its peers list' : 'registry reads pods, and peers for what it cannot read itself'}.
<span id="live"></span></p>
${table(sources)}
<template id="source-row">${rowTemplate()}</template>
${reports(sources)}
<p class="hint">For programs: <a href="${rootPath(node.baseUrl)}/status">/status</a></p>`;
  return renderPage({ node, part: 'network', title: `Network – ${hostOf(node.baseUrl)}`, main });
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

/** What authors have to correct: documents that cannot be read and components that break a rule. */
function reports(sources: readonly SourceStatus[]): Markup {
  const invalid = sources.flatMap((source) => source.invalid);
  const failing = sources.flatMap((source) => source.failing);
  if (invalid.length + failing.length === 0) return html``;
  return html`<section aria-labelledby="reports"><h2 id="reports">For authors</h2><ul class="rows">
${failing.map(({ url, error }) => html`<li><strong>${url}</strong><small>${error}</small></li>`)}
${invalid.map(({ document, subject, reasons }) => html`<li><strong>${subject}</strong><small>in ${document}: ${reasons.join('; ')}</small></li>`)}
</ul></section>`;
}
