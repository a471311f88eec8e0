import { z } from 'zod';
import { isHttpUrl } from '../../config/url.js';
import type { Audit } from '../../lib/audit.js';
import { Problem } from '../../lib/http/problem.js';
import { readJsonBody } from '../../lib/http/request/request-body.js';
import type { Handler } from '../../lib/http/resource.js';
import { requireOperator } from '../access/operator.js';

/** Bytes of a body: it has one URL. */
const BODY_BYTES = 4096;

const decisionBody = z.strictObject({
  url: z.string().max(2048).refine(isHttpUrl),
  decision: z.enum(['approve', 'reject', 'forget']),
});

/** Approves or rejects an address, or forgets what was decided of it. */
export type Decide = (url: string, decision: 'approve' | 'reject' | undefined) => Promise<void>;

/** `POST /discovery`: the operator decides whether an address that peers told of may be read. */
export function decideAddress(decide: Decide, operatorToken: string | undefined, audit: Audit): Handler {
  return async ({ req }) => {
    requireOperator(req.raw, operatorToken);
    const body = decisionBody.safeParse(await readJsonBody(req.raw, BODY_BYTES));
    if (!body.success) {
      throw new Problem(
        422,
        'The body must be {"url": "<http(s) URL>", "decision": "approve"}; decisions are approve, reject and forget',
      );
    }
    const { url, decision } = body.data;
    await decide(url, decision === 'forget' ? undefined : decision);
    const deeds = {
      approve: 'approved an address',
      reject: 'rejected an address',
      forget: 'took a decision back',
    };
    await audit.record({ who: 'operator', what: deeds[decision], subjects: [url] });
    return { status: 204 };
  };
}
