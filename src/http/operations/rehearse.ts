import { z } from 'zod';
import { isHttpUrl } from '../../config/url.js';
import type { Rehearsal } from '../../explain/rehearsal.js';
import { Problem } from '../../lib/http/problem.js';
import { readJsonBody } from '../../lib/http/request/request-body.js';
import type { Handler } from '../../lib/http/resource.js';
import { jsonText } from '../../lib/http/response/json-text.js';
import { requireOperator } from '../access/operator.js';

/** Bytes of a body: it has one URL. */
const BODY_BYTES = 4096;

const rehearsalBody = z.strictObject({ url: z.string().max(2048).refine(isHttpUrl) });

/** Reads a pod or a peer without trusting it. @throws Problem 422 for an address that cannot be read */
export type Rehearse = (url: string, signal: AbortSignal) => Promise<Rehearsal>;

/**
 * `POST /rehearse`: what trusting a pod or a peer would add, change, hide and refuse, and whom it would introduce; for the
 * operator. One at a time: each is a whole poll, in memory.
 */
export function rehearseNow(rehearse: Rehearse, operatorToken: string | undefined): Handler {
  let isUnderWay = false;
  return async ({ req }) => {
    requireOperator(req.raw, operatorToken);
    const body = rehearsalBody.safeParse(await readJsonBody(req.raw, BODY_BYTES));
    if (!body.success) throw new Problem(422, 'The body must be {"url": "<http(s) URL of a pod or a node>"}');
    if (isUnderWay) throw new Problem(409, 'Another rehearsal is under way; try again when it has ended');
    isUnderWay = true;
    try {
      const rehearsal = await rehearse(body.data.url, req.raw.signal);
      const headers = { 'content-type': 'application/json', 'cache-control': 'no-store' };
      return { status: 200, headers, body: jsonText(rehearsal) };
    } finally {
      isUnderWay = false;
    }
  };
}
