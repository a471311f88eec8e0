import { html } from 'hono/html';
import { rootPath } from '../../http/paths.js';
import type { Clock } from '../../lib/clock.js';
import { counted } from '../../lib/counted.js';
import { chooseRepresentation } from '../../lib/http/headers/negotiate.js';
import { jsonAnswer } from '../../lib/http/json-answer.js';
import { Problem } from '../../lib/http/problem.js';
import { readFormFields } from '../../lib/http/request/request-body.js';
import type { Answer, Handler } from '../../lib/http/resource.js';
import { PASTED } from '../../lib/pasted-url.js';
import { createRateLimit } from '../../lib/rate-limit.js';
import type { LintReport } from '../../lint/finding.js';
import type { Linted } from '../../lint/lint-document.js';
import { isWebAddress, why } from '../shell/fragments.js';
import { type Markup, renderPage } from '../shell/page.js';
import { type PageParts, pageAnswer } from '../shell/page-answer.js';
import type { NodeView } from '../shell/view.js';
import { findingList } from './finding-list.js';

export interface CheckParts extends PageParts {
  /** Checks the document that a visitor named or pasted, until the signal is aborted. */
  readonly lint: (what: Linted, signal: AbortSignal) => Promise<LintReport>;
  readonly clock: Clock;
}

/** Each check makes requests from this node and parses the answers, so only a few are done at once and in a minute. */
const BOUNDS = { concurrent: 2, perMinute: 12 };
/** Characters of a text that is pasted. */
const MOST_PASTED = 300_000;
/** Largest body of the form, in bytes: a text has up to three times its length in it. */
const FORM_LIMIT = 3 * MOST_PASTED + 10_000;

/** `POST /publish`: checks a metadata document and its modules; as a page, or as JSON. */
export function checkNow(parts: CheckParts): Handler {
  const rateLimit = createRateLimit(parts.clock, BOUNDS);
  return async ({ req }) => {
    const type = chooseRepresentation(req.header('accept'), ['application/json', 'text/html']);
    const asked = await readForm(req.raw);
    const work = async () => {
      const report = await parts.lint(asked, req.raw.signal);
      if (type === 'text/html') return pageAnswer(checkPage({ node: parts.node(), asked, report }));
      return jsonAnswer(withWhy(report, parts.node().baseUrl), { vary: 'Accept' });
    };
    return rateLimit.run(work, (retryMs) => busy(parts, asked, type, Math.ceil(retryMs / 1000)));
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

function busy(parts: CheckParts, asked: Linted, type: string, seconds: number): Answer {
  const refusal = `This node is asked to check a lot just now; try again in ${seconds} s`;
  const headers = { 'retry-after': String(seconds) };
  if (type !== 'text/html') throw new Problem(429, refusal, { headers });
  const page = pageAnswer(checkPage({ node: parts.node(), asked, refusal }), { status: 429 });
  return { ...page, headers: { ...page.headers, ...headers } };
}

/** @throws Problem 422 unless the form has a text, or names a web address */
async function readForm(request: Request): Promise<Linted> {
  const fields = await readFormFields(request, FORM_LIMIT);
  const [url, text] = [fields.get('url')?.trim() ?? '', fields.get('text') ?? ''];
  if (text.length > MOST_PASTED)
    throw new Problem(413, `The text is longer than ${MOST_PASTED} characters: check it at its URL`);
  if (isWebAddress(url)) return text === '' ? { url } : { text, url };
  if (url === '' && text.trim() !== '') return { text };
  throw new Problem(422, 'Send the form field url, an absolute http or https URL, or text, a document');
}

interface CheckPage {
  readonly node: NodeView;
  /** What the visitor entered. */
  readonly asked: Linted;
  readonly report?: LintReport;
  /** Why the check was refused. */
  readonly refusal?: string;
}

/** What a check has found, with the form for the next one. */
function checkPage({ node, asked, report, refusal }: CheckPage): string {
  const root = rootPath(node.baseUrl);
  const main = html`<h1>Check a description</h1>
${refusal === undefined ? '' : html`<p class="alert" role="alert">${refusal}</p>`}
${report === undefined ? '' : result(report, node.baseUrl)}
<section aria-labelledby="checking"><h2 id="checking">Check another</h2>${checkForms(root, asked)}</section>
<p><a href="${root}/publish">Describe and publish a component</a></p>`;
  return renderPage({ node, part: 'publish', title: 'Check a description', main });
}

/** Forms by which authors have descriptions and their modules checked, before they publish them or after. */
export function checkForms(root: string, asked?: Linted): Markup {
  return html`<p>This node reads a document as it would read a pod, looks at the modules that it names, and says what to correct.
Nothing is stored, and no module is run.</p>
<form class="question" action="${root}/publish" method="post">
<label for="checked">URL of the description</label>
<div><input id="checked" name="url" type="url" required value="${asked && !('text' in asked) ? asked.url : ''}" placeholder="https://…" autocomplete="url" spellcheck="false">
<button>Check</button></div>
</form>
${pasting(root, asked)}
<form class="question" action="${root}/why" method="get">
<label for="known">Published already? What this node has made of it, and when</label>
<div><input id="known" name="document" type="url" required placeholder="https://…" autocomplete="url" spellcheck="false">
<button>Show</button></div>
</form>
<p class="hint">On your own machine, in a clone of the node: <code>node dist/main.js lint &lt;url or file&gt;</code>.</p>`;
}

/** What is pasted is parsed as nodes parse it, which is why it is sent. */
function pasting(root: string, asked: Linted | undefined): Markup {
  const { text, url = '' } = asked && 'text' in asked ? asked : { text: undefined };
  return html`<form class="question" action="${root}/publish" method="post">
<details${text === undefined ? '' : html` open`}><summary>Or paste it</summary>
<p class="hint" id="document-hint">The text is sent to this node, which forgets it after the check.</p>
<label for="document">The document</label>
<textarea id="document" name="text" rows="10" required maxlength="${MOST_PASTED}" spellcheck="false" aria-describedby="document-hint">${text ?? ''}</textarea>
<label for="goes-to">Where it will be published, if it has relative addresses (optional)</label>
<div><input id="goes-to" name="url" type="url" value="${url}" placeholder="https://…" spellcheck="false">
<button>Check</button></div>
</details></form>`;
}

function result({ document, findings, components }: LintReport, baseUrl: string): Markup {
  const all = [...findings, ...components.flatMap((component) => component.findings)];
  const errors = all.filter(({ level }) => level === 'error').length;
  const advised = all.filter(({ level }) => level === 'advice').length;
  const more = advised === 0 ? '' : html` <small>and ${counted(advised, 'piece')} of advice</small>`;
  const about = document === PASTED ? 'What was pasted' : html`${document} ${why(baseUrl, document)}`;
  return html`<section aria-labelledby="result"><h2 id="result">${errors === 0 ? 'Nothing stands in the way' : `${counted(errors, 'thing')} to correct`}${more}</h2>
<p class="quiet">${about}</p>${findingList(findings)}
${components.map(({ uri, label, findings: own }) => html`<h3>${label ?? uri}</h3><p class="quiet">${uri} ${why(baseUrl, uri)}</p>${findingList(own)}`)}
</section>`;
}
