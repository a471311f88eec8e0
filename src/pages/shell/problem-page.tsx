import { rootPath } from '../../http/paths.js';
import { negotiate } from '../../lib/http/headers/negotiate.js';
import type { ProblemAnswer } from '../../lib/http/resource.js';
import { pageHeaders } from './content-policy.js';
import { link } from './fragments.js';
import { renderPage } from './page.js';
import type { NodeView } from './view.js';

/** What went wrong with a request (RFC 9457). */
export interface ProblemView {
  readonly status: number;
  readonly title: string;
  readonly detail: string;
  readonly errors?: readonly { readonly pointer: string; readonly detail: string }[] | undefined;
}

/** The page of an error, for those who follow a link with a browser. */
export function problemPage(node: NodeView, { status, title, detail, errors = [] }: ProblemView): string {
  const faults = errors.map((fault) => (
    <li>
      <code>{fault.pointer}</code> {fault.detail}
    </li>
  ));
  const [way, words] =
    status === 503 ? ['', 'Load this page again'] : [`${rootPath(node.baseUrl)}/`, 'Look for a component'];
  const main = (
    <>
      <h1>{title}</h1>
      <p class="lead">{detail}.</p>
      {faults.length > 0 && <ul class="rows">{faults}</ul>}
      <p>{link(way, words)}</p>
      <p class="hint">
        Status {status} ({title}). Programs that ask for JSON are told the same as a problem document.
      </p>
    </>
  );
  return renderPage({ node, title, main });
}

/**
 * Makes pages of problems for browsers, which ask for HTML by name; programs get the problem document. `pageOf`: the page
 * of a problem.
 */
export function problemPages(node: () => NodeView, pageOf = problemPage): ProblemAnswer {
  return (problem, accept) => {
    if (negotiate(accept, ['application/problem+json', 'text/html']) !== 'text/html') return undefined;
    const { status, title, detail, errors } = problem;
    const headers = { ...pageHeaders(), ...problem.headers, vary: 'Accept', 'cache-control': 'no-store' };
    return { status, headers, body: pageOf(node(), { status, title, detail, errors }) };
  };
}
