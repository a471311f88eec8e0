import { rootPath } from '../../http/paths.js';
import { negotiate } from '../../lib/http/headers/negotiate.js';
import type { Problem } from '../../lib/http/problem.js';
import type { ProblemAnswer } from '../../lib/http/resource.js';
import { pageHeaders } from './content-policy.js';
import { link } from './fragments.js';
import { renderPage } from './page.js';
import type { NodeView } from './view.js';

/** Makes pages of problems for browsers, which ask for HTML by name; programs get the problem document (RFC 9457). */
export function problemPages(node: () => NodeView): ProblemAnswer {
  return (problem, accept) => {
    if (negotiate(accept, ['application/problem+json', 'text/html']) !== 'text/html') return undefined;
    const headers = { ...pageHeaders(), ...problem.headers, vary: 'Accept', 'cache-control': 'no-store' };
    return { status: problem.status, headers, body: problemPage(node(), problem) };
  };
}

function problemPage(node: NodeView, { status, title, detail, errors = [] }: Problem): string {
  const [way, words] =
    status === 503 ? ['', 'Load this page again'] : [`${rootPath(node.baseUrl)}/`, 'Look for a component'];
  const main = (
    <>
      <h1>{title}</h1>
      <p class="lead">{detail}.</p>
      <ul class="rows">
        {errors.map((fault) => (
          <li>
            <code>{fault.pointer}</code> {fault.detail}
          </li>
        ))}
      </ul>
      <p>{link(way, words)}</p>
      <p class="hint">
        Status {status} ({title}). Programs that ask for JSON are told the same as a problem document.
      </p>
    </>
  );
  return renderPage({ node, title, main });
}
