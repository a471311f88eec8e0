import type { Vocabulary } from '../../component/vocabulary.js';
import type { Config } from '../../config.js';
import type { Pace } from '../../lib/pace.js';
import type { TaskPool } from '../../lib/pool/task.js';
import type { Coverage } from '../coverage.js';
import { ACCEPT_ALL, relayPolicy } from '../relay-policy.js';
import type { SyncSource } from '../sync-source.js';
import { AskedPart, RefusedParts } from './asked-part.js';
import { Dialect } from './dialect.js';
import { peerLine } from './peer-line.js';
import { PeerPoll } from './peer-poll.js';
import { createPeerRequest, type PeerAccess } from './peer-request.js';

export interface PeerOptions extends PeerAccess {
  readonly url: string;
  /** The URL of the node that polls. */
  readonly self: string;
  readonly mode: Config['mode'];
  readonly vocabulary: Vocabulary;
  /** Parses what the peer answers. */
  readonly pool: TaskPool;
  /** What is refused of what the peer passes on, as of now: see `relayPolicy`. */
  readonly notAccepted: () => Coverage;
  /** The most hops of entries of its lists that are of use, as of now; all are when absent. */
  readonly usefulHops?: () => number | undefined;
  /** Most documents that are taken from this peer. */
  readonly maxDocuments: number;
  readonly pace: Pace;
}

/** A peer: whom it knows, and what it has to say about components. */
export function createPeerSource(options: PeerOptions): SyncSource {
  const { url, self, mode, vocabulary, pool, notAccepted, maxDocuments, clock, pace, trust } = options;
  const request = createPeerRequest(options);
  const dialect = new Dialect(request);
  const refused = new RefusedParts(clock);
  const part = () => new AskedPart({ isMirror: mode === 'mirror', hops: options.usefulHops?.() }, refused);
  const readAs = `${mode} ${vocabulary.namespace}`;
  const policy = () => (mode === 'mirror' ? ACCEPT_ALL : relayPolicy(url, notAccepted()));
  return {
    source: { kind: 'peer', url },
    trust,
    poll: (stored, progress) => {
      const parsing = { pool, lane: trust, signal: progress.signal };
      const peer = { url, self, request, dialect, part: part(), vocabulary, parsing, readAs, policy };
      return new PeerPoll({ ...peer, maxDocuments, clock, pace, stored, progress }).run();
    },
    line: () => peerLine(options, { url, trust, part }),
  };
}
