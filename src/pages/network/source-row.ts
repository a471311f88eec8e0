import { html } from 'hono/html';
import { isOfThisNode, LOCAL, SAMPLES, STARTER } from '../../component/source.js';
import type { SourceStatus } from '../../explain/source-status.js';
import { documentPath } from '../../http/paths.js';
import { counted } from '../../lib/counted.js';
import { address, time, why } from '../shell/fragments.js';
import type { Markup } from '../shell/page.js';
import { stateOfSource } from '../shell/source-look.js';

/** What the node holds by itself, in words. */
const OF_THIS_NODE: ReadonlyMap<string, string> = new Map([
  [LOCAL.url, 'what was posted here'],
  [SAMPLES.url, 'samples that come with it'],
  [STARTER.url, 'the starter set that comes with it'],
]);

/** A row of the table. The script of the page replaces it when it has changed. */
export function sourceRow(source: SourceStatus, baseUrl: string): Markup {
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
<small>${source.nextAttempt === undefined ? '' : html`again ${time(source.nextAttempt)}`}</small></td>
</tr>`;
}

/** Why a source is held. What its operator can do about it is below, with the operator token. */
function pending({ shrink }: SourceStatus): Markup {
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
