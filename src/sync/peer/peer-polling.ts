import type { Vocabulary } from '../../component/vocabulary.js';
import type { ReadLimits } from '../../core/reading.js';
import type { StoredSource } from '../../core/source-record.js';
import type { PeerGraph } from '../../core/take.js';
import type { Clock } from '../../lib/clock.js';
import type { LogTo } from '../../lib/log.js';
import type { Parsing } from '../../lib/pool/task.js';
import type { Dialect } from './dialect.js';
import type { PeerMemo } from './peer-memo.js';
import type { PeerRequest } from './peer-request.js';

/** What one poll of one peer works with, whether it reads the peer's feed or its listing. */
export interface PeerPolling {
  /** The peer's URL as it is stored. */
  readonly url: string;
  /** The same without a slash at the end: paths are put behind it. */
  readonly peer: string;
  /** The URL of the node that polls. */
  readonly self: string;
  readonly isMirror: boolean;
  readonly request: PeerRequest;
  readonly dialect: Dialect;
  readonly vocabulary: Vocabulary;
  readonly parsing: Parsing;
  /** Names what the answers mean; what was read under another name is read again. */
  readonly readAs: string;
  /**
   * Is what a graph says of any use to `judge`, as of now? Of a graph that is not, nothing is held in memory: that it is
   * there is all that is told of it.
   */
  readonly isWanted: (graph: PeerGraph) => boolean;
  /** Most documents that are taken from this peer. */
  readonly maxDocuments: number;
  readonly clock: Clock;
  readonly log: LogTo<'error'>;
  readonly stored: StoredSource | undefined;
  readonly limits: ReadLimits;
  readonly signal: AbortSignal;
  /** What is remembered of the peer's resources; empty where they were read under another name. */
  readonly remembered: PeerMemo;
}
