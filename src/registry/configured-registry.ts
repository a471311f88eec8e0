import { SAME_NAMESPACES } from '../component/canonical-shape.js';
import { LOCAL } from '../component/source.js';
import type { Vocabulary } from '../component/vocabulary.js';
import type { Config } from '../config.js';
import { type ConfiguredSources, STATEMENT_CLASSES } from '../core/precedence.js';
import { KeepUnusable } from '../keep/faults.js';
import type { Keep } from '../keep/keep.js';
import { type OpenedRegistry, openRegistry, type RegistryOptions } from './open-registry.js';

export interface ConfiguredParts
  extends Pick<RegistryOptions, 'clock' | 'pace' | 'log' | 'onProgress' | 'isShared'> {
  readonly vocabulary: Vocabulary;
  /** Of the software: another one may write the same descriptions differently. */
  readonly version: string;
}

/** The order of statements, by the names of its classes: a release with another one orders what is stored anew. */
const ORDER = STATEMENT_CLASSES.map(({ name, trust }) => `${name} ${trust}`);

/** Reads the registry as a configuration wants it. @throws KeepUnusable */
export async function openConfiguredRegistry(
  keep: Keep,
  config: Config,
  { version, ...parts }: ConfiguredParts,
): Promise<OpenedRegistry> {
  const order = configuredOrder(config);
  const open = await openRegistry(keep, {
    ...parts,
    baseUrl: config.baseUrl,
    order,
    servedAs: JSON.stringify([version, ORDER, order.pods, order.peers, config.mode, SAME_NAMESPACES]),
  });
  const posted = (await open.registry.source(LOCAL))?.documents.get(LOCAL.url)?.components ?? 0;
  if (config.mode !== 'mirror' || posted === 0) return open;
  await open.registry.close();
  // A mirror shows what its upstreams show; what was posted to a former node in its directory would be shown, too.
  throw new KeepUnusable(
    `The data directory ${config.dataDir} holds ${posted} components that were posted to this node, and a mirror has none of its own: set another dataDir`,
  );
}

/** The sources of a configuration, in its order. */
export function configuredOrder({ pods, peers }: Pick<Config, 'pods' | 'peers'>): ConfiguredSources {
  return { pods: pods.map(({ url }) => url), peers: peers.map(({ url }) => url) };
}
