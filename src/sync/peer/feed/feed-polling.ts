import type { StoredSource } from '../../../core/source-record.js';
import type { PeerRules } from '../../../core/take.js';
import type { DroppedGraphs } from '../../refused-graphs.js';
import type { PeerLists } from '../peer-lists.js';
import type { PeerPolling } from '../peer-polling.js';
import type { DocumentNames } from './document-names.js';
import type { FeedClient } from './feed-client.js';
import type { PeerSummaries } from './peer-summaries.js';
import type { Staging } from './staging.js';

/** What one poll of a peer by its feed works with. */
export interface FeedPolling extends Omit<PeerPolling, 'rules'> {
  /** What is accepted, as of the beginning of the poll. */
  readonly rules: PeerRules;
  readonly lists: PeerLists;
  readonly client: FeedClient;
  /** Those that are stored, by URL. */
  readonly documents: StoredSource['documents'];
  /** What of them is not accepted any more. */
  readonly dropped: DroppedGraphs;
  readonly names: DocumentNames;
  readonly staging: Staging;
  readonly summaries: PeerSummaries;
}
