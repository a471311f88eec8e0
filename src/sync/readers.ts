import type { Source } from '../component/source.js';
import type { Config } from '../config.js';
import type { Trust } from '../lib/fetch/guarded-fetch.js';
import { createPodCredentials } from '../lib/fetch/solid-oidc.js';
import { createPeerReader } from './peer/peer-reader.js';
import { createPodReader } from './pod/pod-reader.js';
import type { PodOptions } from './pod/pod-request.js';
import type { SourceReader } from './source-reader.js';

/** Polls under way at once for one host. */
export const PER_HOST = 2;

export interface SourceReaderParts
  extends Pick<PodOptions, 'fetch' | 'pool' | 'vocabulary' | 'clock' | 'log'> {
  readonly config: Pick<Config, 'mode' | 'pods' | 'sync'>;
  /** The epoch of what the node stores, as of now. */
  readonly epoch: () => Promise<string>;
}

/** How each kind of source is read. */
export function sourceReader({ config, epoch, ...parts }: SourceReaderParts) {
  const { mode, pods, sync } = config;
  return ({ kind, url }: Source, trust: Trust): SourceReader => {
    if (kind === 'peer') return createPeerReader({ ...parts, mode, epoch, url, trust });
    const given = pods.find((entry) => entry.url === url)?.credentials;
    const credentials = given && createPodCredentials({ ...parts, ...given, trust: 'configured' });
    return createPodReader({ ...parts, maxDocuments: sync.maxDocuments, url, trust, credentials });
  };
}
