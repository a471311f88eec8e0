import type { Clock } from '../../../lib/clock.js';
import { chooseRepresentation } from '../../../lib/http/headers/negotiate.js';
import { jsonAnswer } from '../../../lib/http/json-answer.js';
import { Problem } from '../../../lib/http/problem.js';
import { readTextBody } from '../../../lib/http/request/request-body.js';
import type { Answer, Handler } from '../../../lib/http/resource.js';
import { createRateLimit } from '../../../lib/rate-limit.js';
import type { LintReport } from '../../../lint/finding.js';
import type { Linted } from '../../../lint/lint-document.js';
import { isWebAddress } from '../../../web/fragments.js';
import { type PageParts, pageAnswer } from '../../page-answer.js';
import { lintPage, MOST_PASTED } from './lint-view.js';

export interface LintParts extends PageParts {
  /** Checks the document that a visitor named or pasted, until the signal is aborted. */
  readonly lint: (what: Linted, signal: AbortSignal) => Promise<LintReport>;
  readonly clock: Clock;
}

/** Each check makes requests from this node and parses the answers, so only a few are done at once and in a minute. */
const BOUNDS = { concurrent: 2, perMinute: 12 };
/** Largest body of the form, in bytes: a text has up to three times its length in it. */
const FORM_LIMIT = 3 * MOST_PASTED + 10_000;

/** `GET /lint`: the form. */
export function getLintForm(parts: PageParts): Handler {
  return () => pageAnswer(lintPage({ node: parts.node() }));
}

/** `POST /lint`: checks a metadata document and its modules; as a page, or as JSON. */
export function lintNow(parts: LintParts): Handler {
  const rateLimit = createRateLimit(parts.clock, BOUNDS);
  return async ({ req }) => {
    const type = chooseRepresentation(req.header('accept'), ['application/json', 'text/html']);
    const asked = await readForm(req.raw);
    const allowed = rateLimit.acquire();
    if ('retryMs' in allowed) return busy(parts, asked, type, Math.ceil(allowed.retryMs / 1000));
    try {
      const report = await parts.lint(asked, req.raw.signal);
      if (type === 'text/html') return pageAnswer(lintPage({ node: parts.node(), asked, report }));
      return jsonAnswer(withWhy(report, parts.node().baseUrl), { vary: 'Accept' });
    } finally {
      allowed.release();
    }
  };
}

/** Each component with the address that says why it is served here, or not. */
function withWhy({ components, ...report }: LintReport, baseUrl: string) {
  const why = (uri: string) => `${baseUrl}/why?${new URLSearchParams({ uri })}`;
  return {
    ...report,
    why: why(report.document),
    components: components.map((component) => ({ ...component, why: why(component.uri) })),
  };
}

function busy(parts: LintParts, asked: Linted, type: string, seconds: number): Answer {
  const refusal = `This node is asked to check a lot just now; try again in ${seconds} s`;
  const headers = { 'retry-after': String(seconds) };
  if (type !== 'text/html') throw new Problem(429, refusal, { headers });
  const page = pageAnswer(lintPage({ node: parts.node(), asked, refusal }), { status: 429 });
  return { ...page, headers: { ...page.headers, ...headers } };
}

/** @throws Problem 422 unless the form has a text, or names a web address */
async function readForm(request: Request): Promise<Linted> {
  const accepted = ['application/x-www-form-urlencoded'];
  const fields = new URLSearchParams((await readTextBody(request, { accepted, limit: FORM_LIMIT })).text);
  const [url, text] = [fields.get('url')?.trim() ?? '', fields.get('text') ?? ''];
  if (text.length > MOST_PASTED)
    throw new Problem(413, `The text is longer than ${MOST_PASTED} characters: check it at its URL`);
  if (isWebAddress(url)) return text === '' ? { url } : { text, url };
  if (url === '' && text.trim() !== '') return { text };
  throw new Problem(422, 'Send the form field url, an absolute http or https URL, or text, a document');
}
