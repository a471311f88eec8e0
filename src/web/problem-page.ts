import { html } from 'hono/html';
import { hostOf, renderPage } from './page.js';
import { type NodeView, rootPath } from './view.js';

/** What went wrong with a request (RFC 9457). */
export interface ProblemView {
  readonly status: number;
  readonly title: string;
  readonly detail: string;
  readonly errors?: readonly { readonly pointer: string; readonly detail: string }[] | undefined;
}

/** The page of an error, for those who follow a link with a browser. */
export function problemPage(node: NodeView, { status, title, detail, errors = [] }: ProblemView): string {
  const faults = errors.map(({ pointer, detail }) => html`<li><code>${pointer}</code> ${detail}</li>`);
  const main = html`<h1>${title}</h1>
<p class="lead">${detail}.</p>
${errors.length > 0 ? html`<ul class="rows">${faults}</ul>` : ''}
<p><a href="${rootPath(node.baseUrl)}/">Look for a component</a></p>
<p class="hint">Status ${status}. Programs that ask for JSON are told the same as a problem document.</p>`;
  return renderPage({ node, title: `${title} – ${hostOf(node.baseUrl)}`, main });
}
