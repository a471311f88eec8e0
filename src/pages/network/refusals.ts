import { html } from 'hono/html';
import type { LatestFault } from '../../component/versions.js';
import type { Refusals } from '../../core/refusal.js';
import { REFUSAL_REASONS } from '../../core/take.js';
import { publicRefusals, REFUSAL_ADVICE, unintendedCount } from '../../explain/refusal.js';
import type { SourceStatus } from '../../explain/source-status.js';
import { documentPath, rootPath } from '../../http/paths.js';
import { counted } from '../../lib/counted.js';
import { address, why } from '../shell/fragments.js';
import type { Markup } from '../shell/page.js';

/** Most lines of one kind; `/status` has all of them. */
const SHOWN = 50;

export interface RefusalView {
  readonly baseUrl: string;
  readonly sources: readonly SourceStatus[];
  /** What is not read of what peers told. */
  readonly refusals: Refusals;
}

/** How many documents, descriptions and addresses this node does not take up, and somebody should look at. */
export function refusalCount({ sources, refusals }: Omit<RefusalView, 'baseUrl'>): number {
  const ofSource = ({ invalid, failing, omitted }: SourceStatus) =>
    invalid.length + failing.length + (omitted ? omitted.components + omitted.documents : 0);
  return sources.reduce((sum, source) => sum + ofSource(source), 0) + unintendedCount(refusals);
}

/** What this node does not take up, and why: for authors and operators, who can mend it. */
export function refusalSection(view: RefusalView): Markup {
  const root = rootPath(view.baseUrl);
  const lines = [...documents(view), ...descriptions(view), ...room(view), ...addresses(view)];
  return html`<section aria-labelledby="refused"><h2 id="refused">Refused</h2>
<div id="refusals" data-live>${
    lines.length === 0
      ? html`<p class="hint">Nothing: all that the sources say is taken up.</p>`
      : html`<ul class="rows">${lines}</ul>
<p class="hint"><a href="${root}/status">/status</a> has every one; addresses that are not public, with the operator token. Authors can <a href="${root}/publish#checking">check</a> their documents.</p>`
  }</div></section>`;
}

/** What versions of components say of each other, where they contradict: for their authors. */
export function contradictionSection(versions: readonly LatestFault[], baseUrl: string): Markup {
  return html`<div id="contradictions" data-live>${
    versions.length === 0
      ? ''
      : html`<section aria-labelledby="versions"><h2 id="versions">Which version is the latest?</h2><ul class="rows">
${versions.map(({ notice, uris }) => html`<li><strong>${notice}</strong>${uris.map((uri) => html`<small>${uri} ${why(baseUrl, uri)}</small>`)}</li>`)}
</ul></section>`
  }</div>`;
}

function documents({ baseUrl, sources }: RefusalView): Markup[] {
  const failing = sources.flatMap((source) => source.failing);
  return failing
    .slice(0, SHOWN)
    .map(
      ({ url, error }) =>
        html`<li><a href="${documentPath(baseUrl, url)}">${url}</a> ${why(baseUrl, url)}<small>cannot be read: ${error}</small></li>`,
    );
}

function descriptions({ baseUrl, sources }: RefusalView): Markup[] {
  const invalid = sources.flatMap((source) => source.invalid);
  return invalid
    .slice(0, SHOWN)
    .map(
      ({ document, subject, reasons }) =>
        html`<li><strong>${subject}</strong> ${why(baseUrl, subject)}<small>in <a href="${documentPath(baseUrl, document)}">${document}</a>: ${reasons.join('; ')}</small></li>`,
    );
}

function room({ sources, baseUrl }: RefusalView): Markup[] {
  return sources.flatMap(({ url, omitted }) =>
    omitted
      ? [
          html`<li>${address(url)} ${why(baseUrl, url)}<small>${counted(omitted.components, 'component')} and ${counted(omitted.documents, 'document')}, because this node keeps no more of it</small></li>`,
        ]
      : [],
  );
}

/** Addresses that are named for one reason. */
const NAMED = 5;

/** What peers told of and is not read. */
function addresses({ refusals, baseUrl }: RefusalView): Markup[] {
  const { counts, examples } = publicRefusals(refusals);
  return REFUSAL_REASONS.flatMap((reason) => {
    const count = counts[reason] ?? 0;
    if (count === 0) return [];
    const named = examples.filter((one) => one.reason === reason).slice(0, NAMED);
    const told = named.map(
      ({ url, via }) => html`<small>${address(url)} ${why(baseUrl, url)}, told by ${via}</small>`,
    );
    return [
      html`<li><strong>${counted(count, 'address', 'addresses')} not read</strong>: ${REFUSAL_ADVICE[reason]}${told}</li>`,
    ];
  });
}
