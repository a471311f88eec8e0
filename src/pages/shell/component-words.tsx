import type { Child } from 'hono/jsx';
import type { Description } from '../../catalog/description.js';
import { STARTER } from '../../component/source.js';
import { excerpt } from '../../lib/excerpt.js';
import { badge, link, type Markup } from './fragments.js';

/**
 * Characters of a name, a version or a tag that pages show: no stranger's text fills a screen. A longer label is
 * whole among the facts.
 */
export const LABEL_LENGTH = 120;

/** As much of a name, a version or a tag as pages show. */
export function shortName(text: string): string {
  return excerpt(text, LABEL_LENGTH);
}

interface NameProps {
  readonly of: Description;
  /** Where the name leads, in a list. */
  readonly href?: string;
}

/** The name of a component, with its version and what marks it. */
export function ComponentName({ of, href }: NameProps) {
  const { label, version, latest } = of.metadata;
  const name = <bdi>{shortName(label)}</bdi>;
  return (
    <>
      {href === undefined ? name : link(href, name)}
      {version && badge('version', shortName(version))}
      {latest && badge('latest', 'latest')}
      {originBadge(of)}
    </>
  );
}

/** Words of the trade that pages use, and what they mean. */
export const MEANINGS = {
  hop: 'A node that this one asks by its configuration is no hop away; what it tells of is one hop farther.',
  learned:
    'Another node told of its source. The operator of this node has not named it, so nobody here answers for it.',
  pinned:
    'A node keeps the hash of the bytes that it has seen of each version of a module; hosts run no others.',
  shape: 'What data is about, as a person, an event or a recipe: a class, or rules for the data of one.',
};

/** A word of the trade, with what it means. */
export function term(name: keyof typeof MEANINGS, words: string = name): Markup {
  return <abbr title={MEANINGS[name]}>{words}</abbr>;
}

/** Marks what comes with this software, and that for which nobody here answers; nothing for all others. */
export function originBadge({ source, trust }: Pick<Description, 'source' | 'trust'>): Child {
  if (source.kind === 'sample') return badge('sample', source.url === STARTER.url ? 'starter set' : 'sample');
  return trust === 'learned' && badge('learned', 'learned', MEANINGS.learned);
}
