import { negotiate } from '../../lib/http/headers/negotiate.js';
import type { Problem } from '../../lib/http/problem.js';
import type { ProblemAnswer } from '../../lib/http/resource.js';
import { link, Rows } from './fragments.js';
import { type NodeView, renderPage } from './page.js';
import { pageAnswer } from './page-answer.js';

/** Makes pages of problems for browsers, which ask for HTML by name; programs get the problem document (RFC 9457). */
export function problemPages(node: () => NodeView): ProblemAnswer {
  return (problem, accept) => {
    if (negotiate(accept, ['application/problem+json', 'text/html']) !== 'text/html') return undefined;
    const headers = { ...problem.headers, vary: 'Accept', 'cache-control': 'no-store' };
    return pageAnswer(problemPage(node(), problem), { status: problem.status, headers });
  };
}

function problemPage(node: NodeView, { status, title, detail, errors = [] }: Problem): string {
  const main = (
    <>
      <h1>{title}</h1>
      <p class="lead">{detail}.</p>
      {errors.length > 0 && (
        <Rows rows={errors.map((one) => ({ head: [<code>{one.pointer}</code>, ' ', one.detail] }))} />
      )}
      <p>
        {status === 503 ? link('', 'Load this page again') : link(`${node.root}/`, 'Look for a component')}
      </p>
      <p class="hint">
        Status {status} ({title}). Programs that ask for JSON are told the same as a problem document.
      </p>
    </>
  );
  return renderPage({ node, title, main });
}
