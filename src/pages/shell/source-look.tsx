import type { SourceStatus } from '../../explain/source-status.js';
import type { Markup } from './fragments.js';

/**
 * How a source fares, at a glance; the later ones need more attention. The words are the states that `/status` tells. Each look has a
 * shape of its own, so that it does not depend on colour: a path in a box that is 16 units wide.
 */
export const LOOK = {
  known: {
    meaning: 'known through others, not read by this node',
    shape: 'M8 4.5a3.5 3.5 0 1 1 0 7 3.5 3.5 0 0 1 0-7zm0 1.5a2 2 0 1 0 0 4 2 2 0 0 0 0-4z',
  },
  ok: { meaning: 'ok', shape: 'M8 2.5a5.5 5.5 0 1 1 0 11 5.5 5.5 0 0 1 0-11z' },
  waiting: {
    meaning: 'waiting for its first poll',
    shape: 'M8 2.5a5.5 5.5 0 1 1 0 11 5.5 5.5 0 0 1 0-11zm0 2a3.5 3.5 0 1 0 0 7 3.5 3.5 0 0 0 0-7z',
  },
  attention: { meaning: 'some of it is not used', shape: 'M8 1.5 15 14H1z' },
  held: { meaning: 'held: paused, or removals pending', shape: 'M2.5 2.5h4v11h-4zm7 0h4v11h-4z' },
  failing: { meaning: 'failing', shape: 'M8 .8 15.2 8 8 15.2.8 8z' },
} as const;
export type Look = keyof typeof LOOK;
export const LOOKS = Object.keys(LOOK) as readonly Look[];

/** `invalid`: descriptions that break a rule; `failing`: documents that cannot be read. */
type Faring = Pick<SourceStatus, 'state'> & Readonly<Record<'invalid' | 'failing', readonly unknown[]>>;

/** A source that answers needs attention when something of it cannot be used: its authors or the operator have something to do. */
export function lookOf({ state, invalid, failing }: Faring): Look {
  if (state === 'failing' || state === 'held' || state === 'waiting') return state;
  return state === 'limited' || invalid.length + failing.length > 0 ? 'attention' : 'ok';
}

/** The state of a source, in the word that `/status` has for it, too; and whether some of what it says is not used. */
export function stateOfSource(source: Faring): Markup {
  const look = lookOf(source);
  return (
    <>
      <span class={`state ${look}`}>{[icon(look), ' ', source.state]}</span>
      {look === 'attention' && [' ', <small>{LOOK[look].meaning}</small>]}
    </>
  );
}

/** The icon of a look, for people who see it; beside it, a word says the same. */
export function icon(look: Look): Markup {
  const size = { viewBox: '0 0 16 16', width: '12', height: '12' };
  return (
    <svg {...size} class={`look ${look}`} aria-hidden="true" focusable="false">
      <path d={LOOK[look].shape} />
    </svg>
  );
}
