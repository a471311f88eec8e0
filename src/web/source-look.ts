import { html } from 'hono/html';
import type { SourceStatus } from '../explain/source-status.js';
import type { Markup } from './page.js';

/** How a source fares, at a glance. The later ones need more attention. */
export const LOOKS = ['known', 'ok', 'waiting', 'faulty', 'held', 'failing'] as const;
export type Look = (typeof LOOKS)[number];

export const MEANINGS: Readonly<Record<Look, string>> = {
  known: 'known through others, not read by this node',
  ok: 'ok',
  waiting: 'not read yet',
  faulty: 'faulty: some of it is not used',
  held: 'paused, or removals pending',
  failing: 'failing',
};

export interface Faring {
  readonly state: SourceStatus['state'];
  /** Descriptions that break a rule. */
  readonly invalid: readonly unknown[];
  /** Documents that cannot be read. */
  readonly failing: readonly unknown[];
  /** Addresses that it tells of and that are refused. */
  readonly refused?: SourceStatus['refused'];
}

/**
 * A source that answers, and of which something cannot be used or is refused, looks faulty: its authors or the operator have
 * something to do.
 */
export function lookOf({ state, invalid, failing, refused = 0 }: Faring): Look {
  if (state === 'failing' || state === 'held' || state === 'waiting') return state;
  return state === 'limited' || invalid.length + failing.length + refused > 0 ? 'faulty' : 'ok';
}

/** The state in a word. */
export function wordOf(source: Faring & Pick<SourceStatus, 'shrink'>): string {
  if (source.state === 'held') return source.shrink ? 'removals pending' : 'paused';
  return lookOf(source) === 'faulty' && source.state === 'ok' ? 'faulty' : source.state;
}

/** Each look has a shape of its own, so that it does not depend on colour. The box is 16 units wide. */
const SHAPES: Readonly<Record<Look, string>> = {
  known: 'M8 4.5a3.5 3.5 0 1 1 0 7 3.5 3.5 0 0 1 0-7zm0 1.5a2 2 0 1 0 0 4 2 2 0 0 0 0-4z',
  ok: 'M8 2.5a5.5 5.5 0 1 1 0 11 5.5 5.5 0 0 1 0-11z',
  waiting: 'M8 2.5a5.5 5.5 0 1 1 0 11 5.5 5.5 0 0 1 0-11zm0 2a3.5 3.5 0 1 0 0 7 3.5 3.5 0 0 0 0-7z',
  faulty: 'M8 1.5 15 14H1z',
  held: 'M2.5 2.5h4v11h-4zm7 0h4v11h-4z',
  failing: 'M8 .8 15.2 8 8 15.2.8 8z',
};

/** The path of a look, around the middle of its box. */
export function shapeOf(look: Look): string {
  return SHAPES[look];
}

/** The icon of a look, for people who see it; beside it, a word says the same. */
export function icon(look: Look): Markup {
  return html`<svg class="look ${look}" viewBox="0 0 16 16" width="12" height="12" aria-hidden="true" focusable="false"><path d="${SHAPES[look]}"/></svg>`;
}
