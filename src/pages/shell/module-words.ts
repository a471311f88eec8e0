import { html } from 'hono/html';
import type { ModuleState } from '../../core/module-health.js';
import type { ModuleLook } from '../../http/matching/module-looks.js';
import { time } from './fragments.js';
import type { Markup } from './page.js';
import { icon, type Look } from './source-look.js';

const STATES: Readonly<Record<ModuleState, readonly [look: Look, words: string]>> = {
  reachable: ['ok', 'module reachable, bytes as pinned'],
  missed: ['attention', 'module not reachable at the last look'],
  dead: ['failing', 'module cannot be had'],
  changed: ['failing', 'module has other bytes than pinned'],
  unknown: ['known', 'module not looked at'],
};

/** The health of a module in a few words: is it there, are its bytes those that are pinned, how large is it, when was that seen? */
export function moduleWords({ state, at, size, error }: ModuleLook): Markup {
  const [look, words] = STATES[state];
  return html`<span class="${look}">${icon(look)} ${words}</span>${state === 'dead' && error ? html`: ${error}` : ''}${size === undefined ? '' : `, ${kilobytes(size)}`}${at === undefined ? '' : html`, looked at ${time(at)}`}`;
}

function kilobytes(bytes: number): string {
  return `${(bytes / 1000).toFixed(1)} kB`;
}

/** What a visitor has to know before anything else: nothing can be shown with it. */
export function deadNotice({ state, error, at }: ModuleLook): Markup {
  if (state !== 'dead') return html``;
  return html`<p class="alert" role="alert"><strong>The module of this component cannot be had:</strong> ${error}, ${time(at)}.
Pages that use it show nothing, so it comes last where components are ranked.</p>`;
}
