import * as z from 'zod';
import type { Rehearsal } from '../../explain/rehearsal.js';
import { rehearsalText } from '../../explain/rehearsal-text.js';
import { chooseRepresentation } from '../../lib/http/headers/negotiate.js';
import { jsonAnswer } from '../../lib/http/json-answer.js';
import { Problem } from '../../lib/http/problem.js';
import type { Answer, Handler } from '../../lib/http/resource.js';
import { requireOperator } from '../access/operator.js';
import { httpUrl, readShortBody } from './short-body.js';

const TEXT = 'text/plain';

export const rehearsalBody = z.strictObject({
  url: httpUrl.describe('Of a pod (a container or a document) or of a node'),
});

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
    const type = chooseRepresentation(req.header('accept'), ['application/json', TEXT]);
    const { url } = await readShortBody(req, rehearsalBody, '{"url": "<http(s) URL of a pod or a node>"}');
    if (isUnderWay) throw new Problem(409, 'Another rehearsal is under way; try again when it has ended');
    isUnderWay = true;
    try {
      const rehearsal = await rehearse(url, req.raw.signal);
      return type === TEXT ? textAnswer(rehearsalText(rehearsal)) : jsonAnswer(rehearsal);
    } finally {
      isUnderWay = false;
    }
  };
}

function textAnswer(text: string): Answer {
  const headers = { 'content-type': `${TEXT}; charset=utf-8`, 'cache-control': 'no-store' };
  return { status: 200, headers, body: `${text}\n` };
}
