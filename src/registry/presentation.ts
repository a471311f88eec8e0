import type { Naming } from '../component/naming.js';
import { createVocabulary } from '../component/vocabulary.js';
import { type ConfiguredSources, type Precedence, precedenceOf } from '../core/precedence.js';
import type { SourceSummary } from '../core/source-digests.js';
import { NO_CONTENTS, type Serving, type SourceRow } from './commit-contents.js';
import type { Showing } from './load.js';
import { type PreparedCommit, type PreparingParts, stateChange } from './prepared-commit.js';
import { sourceRowKey } from './row-keys.js';

export interface PresentationOptions extends Naming {
  /** The configured sources, which all nodes that share the data order in the same way. */
  readonly order: ConfiguredSources;
  /** Whatever else decides what answers look like: another one moves the revision. */
  readonly servedAs: string;
  /** Makes the order of statements; another one is only for tests. */
  readonly precedenceOf?: (configured: ConfiguredSources) => Precedence;
}

/**
 * How what is stored is shown: under which addresses, in which vocabulary and order. It is as this node is configured, until another
 * node on the same data is started with another configuration.
 */
export interface Presentation extends Showing {
  /** Is everything shown as this says? */
  readonly is: (serving: Serving) => boolean;
}

type Shown = Pick<PresentationOptions, 'baseUrl' | 'vocabulary' | 'order' | 'precedenceOf'>;

export function presentationOf({
  baseUrl,
  vocabulary,
  order,
  precedenceOf: made = precedenceOf,
}: Shown): Presentation {
  const text = shownText({ baseUrl, namespace: vocabulary.namespace, order });
  return {
    naming: { baseUrl, vocabulary },
    precedence: made(order),
    is: (serving) => shownText(serving) === text,
  };
}

/** As nodes have shown it last. */
export function storedPresentation(serving: Serving, options: Pick<Shown, 'precedenceOf'>): Presentation {
  const { baseUrl, namespace, order } = serving;
  return presentationOf({
    precedenceOf: options.precedenceOf,
    baseUrl,
    order,
    vocabulary: createVocabulary(namespace),
  });
}

function shownText({ baseUrl, namespace, order }: Pick<Serving, 'baseUrl' | 'namespace' | 'order'>): string {
  return JSON.stringify([baseUrl, namespace, order.pods, order.peers]);
}

/**
 * How a node is configured to serve.
 * @param before how it was served, by whichever node: in these vocabularies quads may still be written
 */
export function configuredServing(options: PresentationOptions, before?: Serving): Serving {
  const { baseUrl, vocabulary, servedAs, order } = options;
  const { namespace } = vocabulary;
  const former =
    before && before.namespace !== namespace ? [...before.former, before.namespace] : before?.former;
  const others = new Set(former?.filter((one) => one !== namespace));
  return { baseUrl, namespace, servedAs, order, former: [...others] };
}

/** Are answers made in the same way? */
export function servesTheSame(one: Serving | undefined, other: Serving): boolean {
  return one?.servedAs === other.servedAs && shownText(one) === shownText(other);
}

/** What a start changes, so that what is stored is shown as it is configured; `undefined` when nothing has to change. */
export function adjustment(
  serving: Serving,
  { precedence, isNew, ...parts }: PreparingParts & { precedence: Precedence; isNew: boolean },
): PreparedCommit | undefined {
  const { data } = parts;
  const change = stateChange(parts, 1);
  const sources = new Map<string, SourceRow>();
  const summaries = new Map<string, SourceSummary>();
  for (const { source, record, rank: before, summary } of data.held.all()) {
    const place = { rank: precedence.rank(source), position: change.position };
    if (!summary || place.rank === before) continue;
    sources.set(sourceRowKey(source), { source, record, ...place });
    summaries.set(sourceRowKey(source), { ...summary, ...place });
  }
  const isMoved = isNew || sources.size > 0;
  if (!isMoved && servesTheSame(data.serving, serving)) return undefined;
  const contents = { ...NO_CONTENTS, serving, sources };
  return { contents, rows: [], change: isMoved ? { ...change, summaries } : stateChange(parts, 0) };
}
