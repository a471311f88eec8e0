import type { Clock } from '../../../lib/clock.js';
import { chooseRepresentation } from '../../../lib/http/headers/negotiate.js';
import { jsonAnswer } from '../../../lib/http/json-answer.js';
import { Problem } from '../../../lib/http/problem.js';
import { readTextBody } from '../../../lib/http/request/request-body.js';
import type { Answer, Handler } from '../../../lib/http/resource.js';
import { createRateLimit } from '../../../lib/rate-limit.js';
import type { LintReport } from '../../../lint/finding.js';
import { type PageParts, pageAnswer } from '../../page-answer.js';
import { isWebAddress } from '../web-address.js';
import { lintPage } from './lint-view.js';

export interface LintParts extends PageParts {
  /** Checks the document at a URL that a visitor entered, until the signal is aborted. */
  readonly lint: (url: string, signal: AbortSignal) => Promise<LintReport>;
  readonly clock: Clock;
}

/** Each check makes requests from this node and parses the answers, so only a few are done at once and in a minute. */
const BOUNDS = { concurrent: 2, perMinute: 12 };
/** Largest body of the form, in bytes: it has one URL. */
const FORM_LIMIT = 10_000;

/** `GET /lint`: the form. */
export function getLintForm(parts: PageParts): Handler {
  return () => pageAnswer(lintPage({ node: parts.node(), url: '' }));
}

/** `POST /lint`: checks a metadata document and its modules; as a page, or as JSON. */
export function lintNow(parts: LintParts): Handler {
  const rateLimit = createRateLimit(parts.clock, BOUNDS);
  return async ({ req }) => {
    const type = chooseRepresentation(req.header('accept'), ['application/json', 'text/html']);
    const url = await readUrl(req.raw);
    const allowed = rateLimit.acquire();
    if ('retryMs' in allowed) return busy(parts, url, type, Math.ceil(allowed.retryMs / 1000));
    try {
      const report = await parts.lint(url, req.raw.signal);
      if (type === 'text/html') return pageAnswer(lintPage({ node: parts.node(), url, report }));
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

function busy(parts: LintParts, url: string, type: string, seconds: number): Answer {
  const refusal = `This node is asked to check a lot just now; try again in ${seconds} s`;
  const headers = { 'retry-after': String(seconds) };
  if (type !== 'text/html') throw new Problem(429, refusal, { headers });
  const page = pageAnswer(lintPage({ node: parts.node(), url, refusal }), { status: 429 });
  return { ...page, headers: { ...page.headers, ...headers } };
}

/** @throws Problem 422 unless the form names a web address */
async function readUrl(request: Request): Promise<string> {
  const accepted = ['application/x-www-form-urlencoded'];
  const { text } = await readTextBody(request, { accepted, limit: FORM_LIMIT });
  const url = new URLSearchParams(text).get('url')?.trim() ?? '';
  if (isWebAddress(url)) return url;
  throw new Problem(422, 'The form field url must be an absolute http or https URL');
}
