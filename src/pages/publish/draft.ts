import * as z from 'zod';
import type { Catalog } from '../../catalog/catalog.js';
import { type DraftedDocument, type DraftQuestion, draftTask } from '../../describe/draft-document.js';
import { httpUrl } from '../../http/operations/short-body.js';
import type { Clock } from '../../lib/clock.js';
import { jsonAnswer } from '../../lib/http/json-answer.js';
import { Problem } from '../../lib/http/problem.js';
import { readJsonBody } from '../../lib/http/request/request-body.js';
import type { Handler } from '../../lib/http/resource.js';
import type { TaskPool } from '../../lib/pool/task.js';
import { createRateLimit } from '../../lib/rate-limit.js';

export interface DraftParts {
  readonly catalog: Catalog;
  /** Where documents of visitors are parsed. */
  readonly pool: TaskPool;
  readonly clock: Clock;
}

/** The page asks whenever nothing has been typed for a moment. */
const BOUNDS = { concurrent: 4, perMinute: 600 };
/** Largest body, in bytes, and largest document, in characters. */
const [BODY_BYTES, DOCUMENT] = [1_100_000, 1_000_000];

const question = z.strictObject({
  document: httpUrl.optional(),
  before: z.string().max(DOCUMENT).optional(),
  put: z.record(z.string(), z.unknown()).optional(),
  remove: z.string().max(2048).optional(),
});
type Question = z.infer<typeof question>;

const WANTED =
  '{"document"?: URL, "before"?: its Turtle now, "put"?: one description as for POST /component, "remove"?: uri of a component}';

/**
 * `POST /publish/draft`: what a document would be after an edit, and what is wrong with the description. Nothing is
 * stored: the page writes the document into the visitor's pod.
 */
export function makeDraft(parts: DraftParts): Handler {
  const rateLimit = createRateLimit(parts.clock, BOUNDS);
  return async ({ req }) => {
    const read = question.safeParse(await readJsonBody(req.raw, BODY_BYTES));
    if (!read.success) throw new Problem(422, `The body must be ${WANTED}`);
    const work = async () => jsonAnswer(await draft(read.data, parts, req.raw.signal));
    return rateLimit.run(work, (retryMs) => {
      const headers = { 'retry-after': String(Math.ceil(retryMs / 1000)) };
      throw new Problem(429, 'This node writes many drafts just now; try again in a moment', { headers });
    });
  };
}

async function draft(asked: Question, { catalog, pool }: DraftParts, signal: AbortSignal) {
  const { naming } = await catalog.state();
  const { document = naming.baseUrl, before: text = '', put, remove } = asked;
  const { namespace } = naming.vocabulary;
  const before = { text, mediaType: 'text/turtle', baseIri: document, namespace };
  const edited = await edit({ before, baseUrl: naming.baseUrl, put, remove }, pool, signal);
  const isFaulty = edited.findings.some(({ level }) => level === 'error');
  return {
    turtle: isFaulty ? undefined : edited.text,
    components: edited.components,
    changes: edited.changes.map(({ kind, component, fields }) => ({ kind, uri: component.uri, fields })),
    findings: edited.findings,
  };
}

async function edit(asked: DraftQuestion, pool: TaskPool, signal: AbortSignal): Promise<DraftedDocument> {
  const options = { lane: 'lint', size: sizeOf(asked), signal } as const;
  for await (const edited of pool.run(draftTask, asked, options)) return edited;
  throw new Error('a draft has no result');
}

/** Characters that are read, about. */
function sizeOf({ before, put }: DraftQuestion): number {
  return before.text.length + (put === undefined ? 0 : JSON.stringify(put).length);
}
