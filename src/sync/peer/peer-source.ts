import type { Vocabulary } from '../../component/vocabulary.js';
import type { Config } from '../../config.js';
import type { TaskPool } from '../../lib/pool/task.js';
import type { Coverage } from '../discovery/coverage.js';
import { LONGEST_POLL } from '../pod/patience.js';
import type { SyncSource } from '../sync-source.js';
import { Dialect } from './dialect.js';
import { EVERYTHING, takingFrom } from './peer-documents.js';
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
  /** The pods that this node reads itself, as of now. */
  readonly coverage: () => Coverage;
  /** Most documents that are taken from this peer. */
  readonly maxDocuments: number;
}

/** A peer: whom it knows, and what it has to say about components. */
export function createPeerSource(options: PeerOptions): SyncSource {
  const { url, self, mode, vocabulary, pool, trust, coverage, maxDocuments, clock } = options;
  const dialect = new Dialect(createPeerRequest(options));
  const readAs = `${mode} ${vocabulary.namespace}`;
  const taking = () => (mode === 'mirror' ? EVERYTHING : takingFrom(url, coverage()));
  return {
    source: { kind: 'peer', url },
    poll: (stored, signal) => {
      const end = clock.now() + LONGEST_POLL;
      const isLate = () => clock.now() > end;
      return new PeerPoll({
        url,
        self,
        dialect,
        vocabulary,
        parsing: { pool, lane: trust, signal },
        readAs,
        taking,
        maxDocuments,
        isLate,
        stored,
        signal,
      }).run();
    },
  };
}
