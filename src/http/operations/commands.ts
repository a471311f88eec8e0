import type { LintReport } from '../../publish/finding.js';
import type { Linted } from '../../publish/lint.js';
import type { Decide } from './discovery.js';
import type { Rehearse } from './rehearse.js';
import type { Sync } from './sync.js';

/** What the node can be asked to do. */
export interface Commands {
  /** Polls all sources, or the one with this URL, and resolves when that is done. No reports: no source has this URL. */
  readonly sync: Sync;
  /** Polls soon what a topic belongs to, if it is read at all. */
  readonly hint: (topic: string) => void;
  /** Decides whether an address that peers told of may be read; resolves when that has taken effect. */
  readonly decide: Decide;
  /** Tells what trusting a pod or a peer would lead to. */
  readonly rehearse: Rehearse;
  /** Checks a metadata document that a client named or sent, and the modules that the document names. */
  readonly lint: (what: Linted, signal: AbortSignal) => Promise<LintReport>;
}
