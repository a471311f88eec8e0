import type { Child } from 'hono/jsx';
import type { Description } from '../../catalog/description.js';
import { STARTER } from '../../component/source.js';
import type { ModuleState } from '../../core/module-health.js';
import type { ModuleLook } from '../../http/matching/module-looks.js';
import { excerpt } from '../../lib/excerpt.js';
import { badge, link, time } from './fragments.js';
import { icon, type Look } from './source-look.js';

/** Longest name in a list, in characters: no stranger's name fills a screen. */
export const LABEL_LENGTH = 120;

interface NameProps {
  readonly of: Description;
  /** Where the name leads, in a list: there, a long one is cut. */
  readonly href?: string;
}

/** The name of a component, with its version and what marks it. */
export function ComponentName({ of, href }: NameProps) {
  const { label, version, latest } = of.metadata;
  return (
    <>
      {href === undefined ? <bdi>{label}</bdi> : link(href, <bdi>{excerpt(label, LABEL_LENGTH)}</bdi>)}
      {version && badge('version', version)}
      {latest && badge('latest', 'latest')}
      {originBadge(of)}
    </>
  );
}

const LEARNED =
  'Another node told of its source. The operator of this node has not named it, so nobody here answers for it.';

/** Marks what comes with this software, and that for which nobody here answers; nothing for all others. */
export function originBadge({ source, trust }: Pick<Description, 'source' | 'trust'>): Child {
  if (source.kind === 'sample') return badge('sample', source.url === STARTER.url ? 'starter set' : 'sample');
  return trust === 'learned' && badge('learned', 'learned', LEARNED);
}

const STATES: Readonly<Record<ModuleState, readonly [look: Look, words: string]>> = {
  reachable: ['ok', 'module reachable, bytes as pinned'],
  missed: ['attention', 'module not reachable at the last look'],
  dead: ['failing', 'module cannot be had'],
  changed: ['failing', 'module has other bytes than pinned'],
  unknown: ['known', 'module not looked at'],
};

/** A module in a few words: is it there, are its bytes those that are pinned, how large is it, when was that seen? */
export function moduleWords({ state, at, size, error }: ModuleLook): Child {
  const [look, words] = STATES[state];
  return [
    <span class={look}>{[icon(look), ' ', words]}</span>,
    state === 'dead' && error && `: ${error}`,
    size !== undefined && `, ${(size / 1000).toFixed(1)} kB`,
    at !== undefined && [', looked at ', time(at)],
  ];
}
