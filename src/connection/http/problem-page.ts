import { html } from 'hono/html';
import { rootPath } from '../../http/paths.js';
import { renderPage } from '../../pages/shell/page.js';
import { problemPage } from '../../pages/shell/problem-page.js';
import type { NodeView } from '../../pages/shell/view.js';

/** The page of a problem: somebody who opens the address of a record learns what to do instead. */
export const recordProblemPage: typeof problemPage = (node, problem) =>
  problem.status === 401 ? tokenPage(node) : problemPage(node, problem);

function tokenPage(node: NodeView): string {
  const root = rootPath(node.baseUrl);
  const main = html`<h1>This address is for programs</h1>
<p class="lead">It is that of a record about a connection or an invite, and such records are shown only to whom they concern.</p>
<ul class="rows">
<li><strong>Have you been invited?</strong> Open the link that you were sent. It shows what is connected, and there you can end it.</li>
<li><strong>Do you write a program?</strong> Send a token, as <code>Authorization: Bearer …</code>. <a href="${root}/docs/connections">How to get one</a></li>
</ul>`;
  return renderPage({ node, title: 'For programs', main });
}
