import { Problem } from '../../lib/http/problem.js';
import type { Handler } from '../../lib/http/resource.js';
import { jsonText } from '../../lib/http/response/json-text.js';
import type { PollReport } from '../../registry/poll-report.js';
import { requireOperator } from '../access/operator.js';

/** `POST /sync`: polls all sources or one now, and answers with the reports when that is done. */
export function syncNow(
  sync: (sourceUrl?: string) => Promise<readonly PollReport[]>,
  operatorToken: string | undefined,
): Handler {
  return async ({ req }) => {
    requireOperator(req.raw, operatorToken);
    const sourceUrl = req.query('source');
    const reports = await sync(sourceUrl);
    if (sourceUrl !== undefined && reports.length === 0) {
      throw new Problem(404, `This node has no source ${JSON.stringify(sourceUrl)}; GET /status lists them`);
    }
    return {
      status: 200,
      headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
      body: jsonText(reports.map(describe)),
    };
  };
}

/** The report as `/status` writes sources: url and kind beside the figures. */
function describe({ source: { url, kind }, ...figures }: PollReport) {
  return { url, kind, ...figures };
}
