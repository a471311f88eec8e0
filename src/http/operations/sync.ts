import type { PollReport } from '../../explain/poll-report.js';
import type { Deed } from '../../lib/audit.js';
import { counted } from '../../lib/counted.js';
import { jsonAnswer } from '../../lib/http/json-answer.js';
import { Problem } from '../../lib/http/problem.js';
import type { Handler } from '../../lib/http/resource.js';
import { type OperatorParts, requireOperator } from '../access/operator.js';

export interface SyncOptions {
  /** A source that says much less than before is believed. */
  readonly acceptShrink: boolean;
}

export type Sync = (sourceUrl: string | undefined, options: SyncOptions) => Promise<readonly PollReport[]>;

/**
 * `POST /sync`: polls all sources or one now, and answers with the reports when that is done. `accept=shrink` accepts,
 * for one source, that it says much less than before.
 */
export function syncNow(sync: Sync, { operatorToken, audit }: OperatorParts): Handler {
  return async ({ req }) => {
    requireOperator(req.raw, operatorToken);
    const sourceUrl = req.query('source');
    const acceptShrink = acceptsShrink(req.query('accept'), sourceUrl);
    const reports = await sync(sourceUrl, { acceptShrink });
    if (sourceUrl !== undefined && reports.length === 0) {
      throw new Problem(404, `This node has no source ${JSON.stringify(sourceUrl)}; GET /status lists them`);
    }
    if (acceptShrink) audit(acceptance(reports));
    return jsonAnswer(reports.map(describe));
  };
}

/** What came of it is part of it: there may have been nothing to accept, or the source did not answer. */
function acceptance(reports: readonly PollReport[]): Deed {
  const removed = reports.reduce((sum, report) => sum + report.removed, 0);
  const failed = reports.some(({ ok }) => !ok) ? '; it could not be read' : '';
  return {
    who: 'operator',
    what: `accepted that a source says less: ${counted(removed, 'component')} removed${failed}`,
    subjects: reports.map(({ source }) => source.url),
  };
}

function acceptsShrink(accept: string | undefined, sourceUrl: string | undefined): boolean {
  if (accept === undefined) return false;
  if (accept !== 'shrink') throw new Problem(400, 'The only value of "accept" is "shrink"');
  if (sourceUrl === undefined) {
    throw new Problem(
      400,
      '"accept=shrink" is for one source: name it with "source"; GET /status lists them',
    );
  }
  return true;
}

/** The report as `/status` writes sources: url and kind beside the figures. */
function describe({ source: { url, kind }, ...figures }: PollReport) {
  return { url, kind, ...figures };
}
