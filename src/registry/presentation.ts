import type { Naming } from '../component/naming.js';
import { createVocabulary } from '../component/vocabulary.js';
import { type ConfiguredSources, type Precedence, precedenceOf } from '../core/precedence.js';
import { NO_CONTENTS, type Serving, type SourceRow } from './commit-contents.js';
import type { Showing } from './load.js';
import type { PreparedCommit, RegistryParts } from './prepared-commit.js';
import { sourceRowKey } from './row-keys.js';

/** How a node is configured to show what is stored. */
export interface PresentationOptions extends Naming {
  /** The configured sources, which all nodes that share the data order in the same way. */
  readonly order: ConfiguredSources;
  /** Whatever else decides what answers look like: another one moves the revision. */
  readonly servedAs: string;
  /** Makes the order of statements; another one is only for tests. */
  readonly precedenceOf?: (configured: ConfiguredSources) => Precedence;
}

/**
 * What is stored of how a node is configured. It is shown so by all nodes on the same data, until one is started with another
 * configuration.
 * @param before how it was served, by whichever node: in these vocabularies quads may still be written
 */
export function servingOf(
  { baseUrl, vocabulary, servedAs, order }: PresentationOptions,
  before?: Serving,
): Serving {
  const { namespace } = vocabulary;
  const others = new Set(before ? [...before.former, before.namespace] : []);
  others.delete(namespace);
  return { baseUrl, namespace, servedAs, order, former: [...others] };
}

/** Under which addresses, in which vocabulary and order everything is shown. */
export function showingOf(
  { baseUrl, namespace, order }: Serving,
  { precedenceOf: made = precedenceOf }: Pick<PresentationOptions, 'precedenceOf'>,
): Showing {
  return { naming: { baseUrl, vocabulary: createVocabulary(namespace) }, precedence: made(order) };
}

/** Is everything shown in the same way? */
export function showsTheSame(one: Serving, other: Serving): boolean {
  const [text, otherText] = [one, other].map(({ baseUrl, namespace, order }) =>
    JSON.stringify([baseUrl, namespace, order.pods, order.peers]),
  );
  return text === otherText;
}

/**
 * What a start changes, so that what is stored is shown as it is configured; `undefined` when nothing has to change.
 * @param before how it was served; undefined in a new keep
 */
export function adjustment(
  serving: Serving,
  before: Serving | undefined,
  { precedence }: Showing,
  parts: RegistryParts,
): PreparedCommit | undefined {
  const { held, meta } = parts.data.now;
  const sources = new Map<string, SourceRow>();
  for (const { source, record, rank: former, seals, summary } of held.all()) {
    const place = { rank: precedence.rank(source), position: meta.position + 1 };
    if (summary && place.rank !== former)
      sources.set(sourceRowKey(source), { source, record, seals, ...place });
  }
  const isMoved = !before || sources.size > 0;
  if (!isMoved && before.servedAs === serving.servedAs && showsTheSame(before, serving)) return undefined;
  return { contents: { ...NO_CONTENTS, serving, sources }, rows: [], positions: isMoved ? 1 : 0 };
}
