import * as z from 'zod';
import type { Rehearsal } from '../../explain/rehearsal.js';
import { jsonAnswer } from '../../lib/http/json-answer.js';
import { Problem } from '../../lib/http/problem.js';
import type { Handler } from '../../lib/http/resource.js';
import { requireOperator } from '../access/operator.js';
import { httpUrl, readShortBody } from './short-body.js';

const rehearsalBody = z.strictObject({ url: httpUrl });

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
    const { url } = await readShortBody(req, rehearsalBody, '{"url": "<http(s) URL of a pod or a node>"}');
    if (isUnderWay) throw new Problem(409, 'Another rehearsal is under way; try again when it has ended');
    isUnderWay = true;
    try {
      return jsonAnswer(await rehearse(url, req.raw.signal));
    } finally {
      isUnderWay = false;
    }
  };
}
