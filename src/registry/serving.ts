import { SAME_NAMESPACES } from '../component/canonical-shape.js';
import type { Config } from '../config.js';
import { type ConfiguredSources, STATEMENT_CLASSES } from '../core/precedence.js';

/** How answers are made of what is stored. It belongs to all nodes that share the data: so no `ETag` names two bodies. */
export interface Serving {
  readonly baseUrl: string;
  /** Of the vocabulary. */
  readonly namespace: string;
  /** Whatever else decides what answers look like: the order of classes, the release. */
  readonly servedAs: string;
  readonly order: ConfiguredSources;
  /** When a node was started with it, ms since the Unix epoch, and later than what was stored until then. */
  readonly startedAt?: number | undefined;
}

/** Is it that of a node that was started later? */
export function isLater(one: Serving, other: Serving | undefined): boolean {
  return (one.startedAt ?? 0) > (other ? (other.startedAt ?? 0) : -1);
}

/** Is everything shown in the same way? */
export function showsTheSame(one: Serving, other: Serving): boolean {
  const textOf = ({ baseUrl, namespace, order: { pods, peers } }: Serving) =>
    JSON.stringify([baseUrl, namespace, pods, peers]);
  return textOf(one) === textOf(other);
}

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
