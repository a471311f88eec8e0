import { SAME_NAMESPACES } from '../component/canonical-shape.js';
import type { Config } from '../config.js';
import { type ConfiguredSources, precedenceOf, STATEMENT_CLASSES } from '../core/precedence.js';
import type { Draft } from './draft.js';
import type { RegistryData } from './registry-data.js';
import { metaRow, type Serving, showsTheSame } from './rows.js';

/** The order of statements, by the names of its classes: a release with another one orders what is stored anew. */
const ORDER = STATEMENT_CLASSES.map(({ name, trust }) => `${name} ${trust}`);

/**
 * How a node is configured to show what is stored.
 * @param version of the software: another one may write the same descriptions differently
 */
export function servingOf(config: Config, version: string): Serving {
  const order = configuredOrder(config);
  const servedAs = JSON.stringify([version, ORDER, order.pods, order.peers, config.mode, SAME_NAMESPACES]);
  return { baseUrl: config.baseUrl, namespace: config.vocabulary, order, servedAs };
}

/** The sources of a configuration, in its order. */
export function configuredOrder({ pods, peers }: Pick<Config, 'pods' | 'peers'>): ConfiguredSources {
  return { pods: pods.map(({ url }) => url), peers: peers.map(({ url }) => url) };
}

/** What a start changes, so that all is shown as it is configured. */
export function adjust(draft: Draft, serving: Serving, { now: { held, shown } }: RegistryData): void {
  const precedence = precedenceOf(serving.order);
  for (const one of held.all()) {
    const rank = precedence.rank(one.source);
    if (!one.summary || rank === one.rank) continue;
    draft.positions = 1;
    draft.source({ ...one, rank }, one.record);
  }
  const isMoved = !shown || draft.rows.length > 0;
  if (!isMoved && shown.servedAs === serving.servedAs && showsTheSame(shown, serving)) return;
  draft.rows.push(metaRow('serving', serving));
  draft.positions = isMoved ? 1 : 0;
}
