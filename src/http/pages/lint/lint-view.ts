import { html } from 'hono/html';
import { counted } from '../../../lib/counted.js';
import type { LintReport } from '../../../lint/finding.js';
import { why } from '../../../web/fragments.js';
import { hostOf, type Markup, renderPage } from '../../../web/page.js';
import { type NodeView, rootPath } from '../../../web/view.js';
import { findingList } from './findings-view.js';

export interface LintPage {
  readonly node: NodeView;
  /** What the visitor entered. */
  readonly url: string;
  readonly report?: LintReport;
  /** Why the check was refused. */
  readonly refusal?: string;
}

/** The page at `/lint`: authors have their metadata and modules checked before they publish them. */
export function lintPage({ node, url, report, refusal }: LintPage): string {
  const main = html`<h1>Check a component</h1>
<p class="lead">Give the URL of a metadata document. This node reads it as it would read a pod, looks at the modules that it names,
and says what to correct. Nothing is stored, and no module is run.</p>
<form class="question" action="${rootPath(node.baseUrl)}/lint" method="post">
<label for="url">URL of the metadata document</label>
<div><input id="url" name="url" type="url" required value="${url}" placeholder="https://…" autocomplete="url" spellcheck="false">
<button>Check</button></div>
</form>
<form class="question" action="${rootPath(node.baseUrl)}/document" method="get">
<label for="known">Published already? What this node has made of it, and when</label>
<div><input id="known" name="url" type="url" required placeholder="https://…" autocomplete="url" spellcheck="false">
<button>Show</button></div>
</form>
${refusal === undefined ? '' : html`<p class="alert" role="alert">${refusal}</p>`}
${report === undefined ? '' : result(report, node.baseUrl)}
<p class="hint">On your own machine, in a clone of the node: <code>node dist/main.js lint &lt;url or file&gt;</code></p>`;
  return renderPage({ node, part: 'check', title: `Check a component – ${hostOf(node.baseUrl)}`, main });
}

function result({ document, findings, components }: LintReport, baseUrl: string): Markup {
  const all = [...findings, ...components.flatMap((component) => component.findings)];
  const errors = all.filter(({ level }) => level === 'error').length;
  return html`<section aria-labelledby="result"><h2 id="result">${errors === 0 ? 'Nothing stands in the way' : `${counted(errors, 'thing')} to correct`}</h2>
<p class="quiet">${document} ${why(baseUrl, document)}</p>${findingList(findings)}
${components.map(({ uri, label, findings: own }) => html`<h3>${label ?? uri}</h3><p class="quiet">${uri} ${why(baseUrl, uri)}</p>${findingList(own)}`)}
</section>`;
}
