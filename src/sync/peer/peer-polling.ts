import type { Vocabulary } from '../../component/vocabulary.js';
import type { StoredSource } from '../../core/source-record.js';
import type { PeerRules } from '../../core/take.js';
import type { Clock } from '../../lib/clock.js';
import type { LogTo } from '../../lib/log.js';
import type { Pace } from '../../lib/pace.js';
import type { Parsing } from '../../lib/pool/task.js';
import type { PollProgress } from '../sync-source.js';
import type { Dialect } from './dialect.js';
import type { PeerMemo } from './peer-memo.js';
import type { PeerRequest } from './peer-request.js';

/** What one poll of one peer works with, whether it reads the peer's feed or its listing. */
export interface PeerPolling {
  /** The peer's URL, without a slash at the end. */
  readonly peer: string;
  /** The URL of the node that polls. */
  readonly self: string;
  readonly request: PeerRequest;
  readonly dialect: Dialect;
  readonly vocabulary: Vocabulary;
  readonly parsing: Parsing;
  /** Names what the answers mean; what was read under another name is read again. */
  readonly readAs: string;
  /** What is accepted, as of now: that depends on the pods which this node reads itself. */
  readonly rules: () => PeerRules;
  /** Most documents that are taken from this peer. */
  readonly maxDocuments: number;
  readonly clock: Clock;
  readonly pace: Pace;
  readonly log: LogTo<'error'>;
  readonly stored: StoredSource | undefined;
  readonly progress: PollProgress;
  /** What is remembered of the peer's resources; empty where they were read under another name. */
  readonly remembered: PeerMemo;
}
