import type { PollReport } from '../../explain/poll-report.js';
import type { Clock } from '../../lib/clock.js';
import type { Pace } from '../../lib/pace.js';
import type { Catalog } from '../../registry/catalog.js';
import type { Registry } from '../../registry/registry.js';
import type { SourceRecord } from '../../registry/source-record.js';
import type { PollFailure } from '../sync-source.js';
import type { StorageQuota } from './storage-quota.js';

/** What it takes to poll a source. */
export interface Polling {
  readonly registry: Pick<Registry, 'commit' | 'source'>;
  readonly catalog: Pick<Catalog, 'statements' | 'changes'>;
  readonly clock: Clock;
  readonly pace: Pace;
  readonly quota: StorageQuota;
  /** When to poll next, given how this poll went and how many have failed in a row. */
  readonly nextAttempt: (failure: PollFailure | undefined, failures: number) => number;
  /** Has an operator accepted that the source has lost most of what it said? */
  readonly acceptsShrink: () => boolean;
}

/** What a poll came to. */
export interface Polled {
  /** What was remembered of the source before, and is now, also when that could not be stored. */
  readonly before: SourceRecord;
  readonly after: SourceRecord;
  readonly report: PollReport;
}
