import type { PollReport } from '../../explain/poll-report.js';
import type { Rehearsal } from '../../explain/rehearsal.js';
import type { LintReport } from '../../publish/finding.js';
import type { Linted } from '../../publish/lint.js';

/** What the node can be asked to do. */
export interface Commands {
  /**
   * Polls all sources, or the one with this URL, and resolves when that is done. `acceptShrink`: a source that says much less than
   * before is believed. No reports: no source has this URL.
   */
  readonly sync: (
    sourceUrl: string | undefined,
    options: { readonly acceptShrink: boolean },
  ) => Promise<readonly PollReport[]>;
  /** Polls soon what a topic belongs to, if it is read at all. */
  readonly hint: (topic: string) => void;
  /** Decides whether an address that peers told of may be read, or forgets what was decided; resolves when that has taken effect. */
  readonly decide: (url: string, decision: 'approve' | 'reject' | undefined) => Promise<void>;
  /** Reads a pod or a peer without trusting it. @throws Problem 422 for an address that cannot be read */
  readonly rehearse: (url: string, signal: AbortSignal) => Promise<Rehearsal>;
  /** Checks a metadata document that a client named or sent, and the modules that the document names. */
  readonly lint: (what: Linted, signal: AbortSignal) => Promise<LintReport>;
}
