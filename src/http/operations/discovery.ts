import * as z from 'zod';
import type { Handler } from '../../lib/http/resource.js';
import { type OperatorParts, requireOperator } from '../access/operator.js';
import { httpUrl, readShortBody } from './short-body.js';

export const decisionBody = z.strictObject({
  url: httpUrl,
  decision: z.enum(['approve', 'reject', 'forget']),
});

/** Approves or rejects an address, or forgets what was decided of it. */
export type Decide = (url: string, decision: 'approve' | 'reject' | undefined) => Promise<void>;

/** `POST /discovery`: the operator decides whether an address that peers told of may be read. */
export function decideAddress(decide: Decide, { operatorToken, audit }: OperatorParts): Handler {
  return async ({ req }) => {
    requireOperator(req.raw, operatorToken);
    const wanted =
      '{"url": "<http(s) URL>", "decision": "approve"}; decisions are approve, reject and forget';
    const { url, decision } = await readShortBody(req, decisionBody, wanted);
    await decide(url, decision === 'forget' ? undefined : decision);
    const deeds = {
      approve: 'approved an address',
      reject: 'rejected an address',
      forget: 'took a decision back',
    };
    audit({ who: 'operator', what: deeds[decision], subjects: [url] });
    return { status: 204 };
  };
}
