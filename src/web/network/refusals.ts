import { html } from 'hono/html';
import type { LatestFault } from '../../component/versions.js';
import { counted } from '../../lib/counted.js';
import type { RefusedAddresses } from '../../registry/activity.js';
import type { SourceStatus } from '../../registry/source-status.js';
import { address } from '../fragments.js';
import type { Markup } from '../page.js';
import { rootPath } from '../view.js';

/** Most lines of one kind; `/status` has all of them. */
const SHOWN = 50;

export interface RefusalView {
  readonly baseUrl: string;
  readonly sources: readonly SourceStatus[];
  readonly refused: readonly RefusedAddresses[];
}

/** How many documents, descriptions and addresses this node does not take up. */
export function refusalCount({ sources, refused }: Omit<RefusalView, 'baseUrl'>): number {
  const ofSource = ({ invalid, failing, omitted }: SourceStatus) =>
    invalid.length + failing.length + (omitted ? omitted.components + omitted.documents : 0);
  return (
    sources.reduce((sum, source) => sum + ofSource(source), 0) +
    refused.reduce((sum, { count }) => sum + count, 0)
  );
}

/** What this node does not take up, and why: for authors and operators, who can mend it. */
export function refusalSection(view: RefusalView): Markup {
  const count = refusalCount(view);
  const root = rootPath(view.baseUrl);
  const lines = [...documents(view), ...descriptions(view), ...room(view), ...addresses(view)];
  return html`<section aria-labelledby="refused"><h2 id="refused">Refused</h2>
<div id="refusals" data-live>${
    count === 0
      ? html`<p class="hint">Nothing: all that the sources say is taken up.</p>`
      : html`<ul class="rows">${lines}</ul>
<p class="hint">${count.toLocaleString('en')} in all; <a href="${root}/status">/status</a> has every one. Authors can <a href="${root}/lint">check</a> their documents.</p>`
  }</div></section>`;
}

/** What versions of components say of each other, where they contradict: for their authors. */
export function contradictionSection(versions: readonly LatestFault[]): Markup {
  return html`<div id="contradictions" data-live>${
    versions.length === 0
      ? ''
      : html`<section aria-labelledby="versions"><h2 id="versions">Which version is the latest?</h2><ul class="rows">
${versions.map(({ notice, uris }) => html`<li><strong>${notice}</strong><small>${uris.join(', ')}</small></li>`)}
</ul></section>`
  }</div>`;
}

function documents({ sources }: RefusalView): Markup[] {
  const failing = sources.flatMap((source) => source.failing);
  return failing
    .slice(0, SHOWN)
    .map(({ url, error }) => html`<li>${address(url)}<small>cannot be read: ${error}</small></li>`);
}

function descriptions({ sources }: RefusalView): Markup[] {
  const invalid = sources.flatMap((source) => source.invalid);
  return invalid
    .slice(0, SHOWN)
    .map(
      ({ document, subject, reasons }) =>
        html`<li><strong>${subject}</strong><small>in ${address(document)}: ${reasons.join('; ')}</small></li>`,
    );
}

function room({ sources }: RefusalView): Markup[] {
  return sources.flatMap(({ url, omitted }) =>
    omitted
      ? [
          html`<li>${address(url)}<small>${counted(omitted.components, 'component')} and ${counted(omitted.documents, 'document')}, because this node keeps no more of it</small></li>`,
        ]
      : [],
  );
}

function addresses({ refused }: RefusalView): Markup[] {
  return refused.slice(0, SHOWN).map(
    ({
      peer,
      kind,
      reason,
      count,
      examples,
    }) => html`<li>${counted(count, kind === 'pod' ? 'pod' : 'node')} that ${address(peer)} knows
<small>because ${reason}: ${examples.join(', ')}${count > examples.length ? ' …' : ''}</small></li>`,
  );
}
