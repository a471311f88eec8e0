import { html } from 'hono/html';
import { type StoredPin, sha384Of } from '../../../core/pins.js';
import type { Pinning } from '../../../explain/pinning.js';
import { counted } from '../../../lib/counted.js';
import { time } from '../../../web/fragments.js';
import type { Markup } from '../../../web/page.js';
import { componentPath } from '../../../web/view.js';

/** Most lines; `/status` has more. */
const SHOWN = 20;

/** Modules whose bytes are not what they were, and those that could not be had. */
export function pinSection(
  { mode, all, changed, examples, failing }: Pinning,
  { baseUrl }: { readonly baseUrl: string },
): Markup {
  const head =
    mode === 'off'
      ? 'Modules are not looked at (pins is off).'
      : `The bytes of ${counted(all, 'module')} are known.`;
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
