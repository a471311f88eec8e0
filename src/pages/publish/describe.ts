import * as z from 'zod';
import { describeManifest } from '../../describe/describe-manifest.js';
import { refuseExcess } from '../../lib/bounded-json.js';
import type { Clock } from '../../lib/clock.js';
import { explain } from '../../lib/faults.js';
import { jsonAnswer } from '../../lib/http/json-answer.js';
import { Problem } from '../../lib/http/problem.js';
import { readJsonBody } from '../../lib/http/request/request-body.js';
import type { Handler } from '../../lib/http/resource.js';
import { createRateLimit } from '../../lib/rate-limit.js';

/** Manifests are parsed where requests are answered, and large ones take some 30 ms. */
const BOUNDS = { concurrent: 1, perMinute: 60 };
const BODY_BYTES = 1_000_000;

const question = z.strictObject({ files: z.record(z.string(), z.string()) });

/** `POST /publish/describe`: a description made of the manifests of an npm package. Nothing is fetched, and nothing stored. */
export function describeNow({ clock }: { readonly clock: Clock }): Handler {
  const rateLimit = createRateLimit(clock, BOUNDS);
  return async ({ req }) => {
    const read = question.safeParse(await readJsonBody(req.raw, BODY_BYTES));
    if (!read.success) throw new Problem(422, 'The body must be {"files": {"package.json": its text, …}}');
    const work = () => jsonAnswer(described(read.data.files));
    return rateLimit.run(work, () => {
      throw new Problem(429, 'This node reads many manifests just now; try again in a minute');
    });
  };
}

function described(files: Readonly<Record<string, string>>) {
  try {
    for (const text of Object.values(files)) refuseExcess(text);
    return describeManifest(files);
  } catch (cause) {
    throw new Problem(422, explain(cause), { cause });
  }
}
