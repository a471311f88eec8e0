import { html } from 'hono/html';
import { counted } from '../../lib/counted.js';
import type { SourceStatus } from '../../registry/source-status.js';
import { address, time } from '../fragments.js';
import type { Markup } from '../page.js';

/** A row of the table. The script of the page (src/explorer) updates its fields, which it finds by `data-field`. */
export function sourceRow(source: SourceStatus): Markup {
  const { url, kind, state, error, notice, failingSince } = source;
  return html`<tr role="row" data-source="${kind} ${url}">
<th role="rowheader" scope="row"><span data-field="kind" class="kind">${kind === 'local' ? 'this node' : kind}</span>
<span data-field="url">${kind === 'local' ? 'what was posted here' : address(url)}</span></th>
<td role="cell" data-label="State"><span data-field="state" class="state ${state}">${state}</span>
<small data-field="since">${failingSince === undefined ? '' : html`since ${time(failingSince)}`}</small>
<small data-field="error">${[error, notice].filter(Boolean).join(' ')}</small></td>
<td role="cell" data-label="Brings"><span data-field="components">${counted(source.components, 'component')}</span>
<small data-field="invalid">${troubles(source)}</small></td>
<td role="cell" data-label="Known by" data-field="known">${knownBy(source)}</td>
<td role="cell" data-label="Last read"><span data-field="lastSuccess">${time(source.lastSuccess)}</span>
<small data-field="tried">${tried(source)}</small></td>
<td role="cell" data-label="Next" data-field="nextAttempt">${time(source.nextAttempt)}</td>
</tr>`;
}

const NEW_SOURCE: SourceStatus = {
  url: '',
  kind: 'pod',
  state: 'waiting',
  configured: true,
  hops: 0,
  via: [],
  failures: 0,
  components: 0,
  documents: 0,
  invalid: [],
  failing: [],
};

/** An empty row, for sources that become known while the page is open. */
export function rowTemplate(): Markup {
  return sourceRow(NEW_SOURCE);
}

/** How the node knows the source. The script of the page uses the same words. */
function knownBy({ kind, configured, hops, via }: SourceStatus): string {
  if (kind === 'local') return '–';
  if (configured) return 'configuration';
  const introducers = via.length > 0 ? ` via ${via.join(', ')}` : '';
  return `${counted(hops, 'hop')}${introducers}`;
}

/** When the last attempt was, if it failed. */
function tried({ state, lastAttempt }: SourceStatus): Markup {
  return state === 'failing' && lastAttempt !== undefined ? html`tried ${time(lastAttempt)}` : html``;
}

function troubles({ invalid, failing }: SourceStatus): string {
  const parts = [
    ...(invalid.length > 0 ? [`${invalid.length} invalid`] : []),
    ...(failing.length > 0 ? [`${counted(failing.length, 'document')} unreadable`] : []),
  ];
  return parts.join(', ');
}
