import { negotiate } from '../../lib/http/headers/negotiate.js';
import type { ProblemAnswer } from '../../lib/http/resource.js';
import { problemPage } from '../../web/problem-page.js';
import { type PageParts, pageAnswer } from '../page-answer.js';

/** Makes a page of a problem for browsers, which ask for HTML by name; programs get the problem document. */
export function problemPages({ node }: PageParts): ProblemAnswer {
  return (problem, accept) => {
    if (negotiate(accept, ['application/problem+json', 'text/html']) !== 'text/html') return undefined;
    const { status, title, detail, errors } = problem;
    const page = pageAnswer(problemPage(node(), { status, title, detail, errors }), { status });
    return { ...page, headers: { ...page.headers, ...problem.headers, 'cache-control': 'no-store' } };
  };
}
