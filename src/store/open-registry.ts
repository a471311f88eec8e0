import { SAME_NAMESPACES } from '../component/canonical-shape.js';
import { LOCAL } from '../component/source.js';
import type { Vocabulary } from '../component/vocabulary.js';
import type { Config } from '../config.js';
import { precedenceOf, STATEMENT_CLASSES } from '../core/precedence.js';
import type { OpenRegistry, Registry } from '../registry/registry.js';
import type { LoadOptions, RegistryStore } from './registry-store.js';
import { refuseUnfinishedImport } from './unfinished-import.js';
import { UnusableData } from './unusable-data.js';

export interface OpenParts extends Pick<LoadOptions, 'clock' | 'random' | 'pace' | 'log' | 'onProgress'> {
  readonly vocabulary: Vocabulary;
  /** Of the software: another one may write the same descriptions differently. */
  readonly version: string;
}

/** The order of statements, by the names of its classes: a release with another one orders what is stored anew. */
const ORDER = STATEMENT_CLASSES.map(({ name, trust }) => `${name} ${trust}`);

/** Reads the registry as a configuration wants it. @throws UnusableData */
export async function openRegistry(
  store: RegistryStore,
  config: Config,
  { version, ...parts }: OpenParts,
): Promise<OpenRegistry> {
  const pods = config.pods.map(({ url }) => url);
  const peers = config.peers.map(({ url }) => url);
  const open = await store.load({
    ...parts,
    baseUrl: config.baseUrl,
    precedence: precedenceOf({ pods, peers }),
    servedAs: JSON.stringify([version, ORDER, pods, peers, config.mode, SAME_NAMESPACES]),
  });
  await refuseUnfinishedImport(open.registry);
  await refusePosted(open.registry, config);
  return open;
}

/** A mirror shows what its upstreams show; what was posted to a former node in its directory would be shown, too. */
async function refusePosted(registry: Registry, { mode, dataDir }: Config): Promise<void> {
  const own = await registry.source(LOCAL);
  const posted = own?.documents.get(LOCAL.url)?.components ?? 0;
  if (mode !== 'mirror' || posted === 0) return;
  throw new UnusableData(
    `The data directory ${dataDir} holds ${posted} components that were posted to this node, and a mirror has none of its own: set another dataDir`,
  );
}
