import { html } from 'hono/html';
import { isOfThisNode, LOCAL, SAMPLES, STARTER } from '../../../component/source.js';
import type { PollPoint } from '../../../explain/node-report.js';
import type { SourceStatus } from '../../../explain/source-status.js';
import { counted } from '../../../lib/counted.js';
import { address, time, why } from '../../../web/fragments.js';
import type { Markup } from '../../../web/page.js';
import { stateOfSource } from '../../../web/source-look.js';
import { documentPath } from '../../../web/view.js';

/** What the node holds by itself, in words. */
const OF_THIS_NODE: ReadonlyMap<string, string> = new Map([
  [LOCAL.url, 'what was posted here'],
  [SAMPLES.url, 'samples that come with it'],
  [STARTER.url, 'the starter set that comes with it'],
]);

/** A row of the table. The script of the page replaces it when it has changed. */
export function sourceRow(source: SourceStatus, polls: readonly PollPoint[], baseUrl: string): Markup {
  const { url, kind, error, failingSince, live, private: isPrivate } = source;
  return html`<tr role="row" data-key="${kind} ${url}">
<th role="rowheader" scope="row"><span class="kind">${isOfThisNode(source) ? 'this node' : kind}</span>
${OF_THIS_NODE.get(url) ?? html`${address(url)} ${why(baseUrl, url)}`}</th>
<td role="cell" data-label="State">${stateOfSource(source)}
${failingSince === undefined ? '' : html`<small>since ${time(failingSince)}</small>`}
${error === undefined ? '' : html`<small>${error}</small>`}
${pending(source)}
${live ? html`<small>tells when it changes</small>` : ''}
${isPrivate ? html`<small>private: what it describes is public on this node</small>` : ''}</td>
<td role="cell" data-label="Brings"><span>${counted(source.components, 'component')}</span>
${source.kind === 'pod' ? html`<small><a href="${documentPath(baseUrl, url)}">${counted(source.documents, 'document')}</a></small>` : ''}
<small>${troubles(source)}</small></td>
<td role="cell" data-label="Known by" class="known-by">${knownBy(source)}</td>
<td role="cell" data-label="Last read"><span>${time(source.lastSuccess)}</span>
<small>${tried(source)}</small>
<small>${source.nextAttempt === undefined ? '' : html`next ${time(source.nextAttempt)}`}</small>${sparkline(polls)}</td>
</tr>`;
}

/** Why a source is held. What its operator can do about it is on /operate. */
function pending({ shrink, heldUntil }: SourceStatus): Markup {
  if (heldUntil !== undefined)
    return html`<small>paused until ${time(heldUntil)}: the process of this node ended while it was read</small>`;
  if (!shrink) return html``;
  const { from, to, since } = shrink;
  return html`<small>removals pending: ${to.toLocaleString('en')} of ${counted(from, 'component')} ${to === 1 ? 'is' : 'are'} left there since ${time(since)}. The others are served until its operator accepts that, or more polls agree.</small>`;
}

function knownBy(source: SourceStatus): string {
  const { configured, hops, via } = source;
  if (isOfThisNode(source)) return '–';
  if (configured) return 'configuration';
  const introducers = via.length > 0 ? ` via ${via.join(', ')}` : '';
  return `${counted(hops, 'hop')}${introducers}`;
}

/** When the last attempt was, if it failed. */
function tried({ state, lastAttempt }: SourceStatus): Markup {
  return state === 'failing' && lastAttempt !== undefined ? html`tried ${time(lastAttempt)}` : html``;
}

function troubles({ invalid, failing, refused = 0 }: SourceStatus): string {
  const parts = [
    ...(invalid.length > 0 ? [`${invalid.length} invalid`] : []),
    ...(failing.length > 0 ? [`${counted(failing.length, 'document')} unreadable`] : []),
    ...(refused > 0
      ? [`tells of ${counted(refused, 'address that is', 'addresses that are')} not read`]
      : []),
  ];
  return parts.join(', ');
}

/** Polls that have room, and units that each takes. */
const ROOM = { polls: 50, width: 2.5, height: 20, below: 6 } as const;
/** A poll of this duration is drawn as high as there is room, in ms: the height grows with the logarithm. */
const LONGEST_MS = 60_000;

/**
 * The last polls of a source, the newest last: one bar each, the higher the longer it took. Polls that brought
 * something are strong, those that failed hang below the line.
 */
export function sparkline(polls: readonly PollPoint[]): Markup {
  if (polls.length === 0) return html``;
  const failed = polls.filter(({ outcome }) => outcome === 'failed').length;
  const words = `The last ${counted(polls.length, 'poll')}: ${failed === 0 ? 'none failed' : `${failed} failed`}`;
  const { polls: most, width, height, below } = ROOM;
  const bars = (wanted: PollPoint['outcome']) =>
    polls.map((poll, i) => (poll.outcome === wanted ? bar(poll, i) : '')).join('');
  return html`<svg class="sparkline" viewBox="0 0 ${most * width} ${height + below}" role="img" aria-label="${words}">
<title>${words}</title><path class="line" d="M0 ${height + 0.5}h${most * width}"/><path class="unchanged" d="${bars('unchanged')}"/><path class="changed" d="${bars('changed')}"/><path class="failed" d="${bars('failed')}"/></svg>`;
}

function bar({ durationMs, outcome }: PollPoint, index: number): string {
  const { width, height, below } = ROOM;
  const x = (index + 0.5) * width;
  if (outcome === 'failed') return `M${x} ${height + 1}v${below - 1}`;
  const part = Math.log(1 + Math.max(durationMs, 0)) / Math.log(1 + LONGEST_MS);
  return `M${x} ${height}v-${Math.max(2, Math.round(Math.min(part, 1) * height))}`;
}
