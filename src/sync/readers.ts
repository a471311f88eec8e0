import type { Source } from '../component/source.js';
import type { Vocabulary } from '../component/vocabulary.js';
import type { Config } from '../config.js';
import type { Clock } from '../lib/clock.js';
import type { GuardedFetch, Trust } from '../lib/fetch/guarded-fetch.js';
import { createPodCredentials } from '../lib/fetch/solid-oidc.js';
import type { LogTo } from '../lib/log.js';
import type { TaskPool } from '../lib/pool/task.js';
import { createPeerReader } from './peer/peer-reader.js';
import { createPodReader } from './pod/pod-reader.js';
import type { SourceReader } from './source-reader.js';

/** Polls, and requests, under way at once for one host. */
export const PER_HOST = 2;

export interface SourceReaderParts {
  readonly config: Pick<Config, 'baseUrl' | 'mode' | 'pods' | 'sync'>;
  readonly fetch: GuardedFetch;
  readonly pool: TaskPool;
  readonly vocabulary: Vocabulary;
  readonly clock: Clock;
  readonly log: LogTo<'error'>;
  /** The epoch of what the node stores, as of now. */
  readonly epoch: () => Promise<string>;
}

/** Makes what reads a source. */
export type MakeReader = (source: Source, trust: Trust) => SourceReader;

/** How each kind of source is read. */
export function sourceReader({ config, epoch, ...parts }: SourceReaderParts): MakeReader {
  const shared = { ...parts, maxDocuments: config.sync.maxDocuments };
  const peers = { self: config.baseUrl, mode: config.mode, epoch };
  return ({ kind, url }, trust) => {
    if (kind === 'peer') return createPeerReader({ ...shared, ...peers, url, trust });
    const given = config.pods.find((entry) => entry.url === url)?.credentials;
    const credentials = given && createPodCredentials({ ...parts, ...given, trust: 'configured' });
    return createPodReader({ ...shared, url, trust, ...(credentials && { credentials }) });
  };
}
