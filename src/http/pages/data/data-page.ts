import { canonicalShape } from '../../../component/canonical-shape.js';
import { readMatchQuestion } from '../../../component/match-question.js';
import { shapesNamed } from '../../../component/shape-names.js';
import { isAbsoluteIri } from '../../../component/values.js';
import { planMatch } from '../../../core/match-plan.js';
import { parametersOf } from '../../../lib/http/request/url-parameters.js';
import type { Handler } from '../../../lib/http/resource.js';
import { sourceOf } from '../../../web/content-policy.js';
import { type MatchParts, matchFinder } from '../../matching/find-matches.js';
import { type PageParts, pageAnswer } from '../../page-answer.js';
import { ENTRIES } from '../finding/results-view.js';
import { readWebAddress } from '../web-address.js';
import { dataPage } from './data-view.js';

export type DataParts = PageParts & MatchParts;

/** Shapes of the data that are looked for. */
const MOST_SHAPES = 8;

/**
 * `GET /data?url=&shapes=`: the components that render the data at a URL. The node never reads it: a script on this page
 * does, in the visitor's browser, and asks for the page again with the shapes that it has found.
 */
export function getData(parts: DataParts): Handler {
  const find = matchFinder(parts);
  return async ({ req }) => {
    const parameters = parametersOf(req.url);
    const url = readWebAddress(parameters, 'url');
    const { shapes, unknown } = readShapes(parameters);
    const question = readMatchQuestion({ types: shapes, limit: ENTRIES });
    const matches = shapes.length === 0 ? [] : await find(planMatch(question));
    const page = dataPage({ node: parts.node(), url, shapes, unknown, matches });
    return pageAnswer(page, { connect: ['https:', ...(url === '' ? [] : [sourceOf(url)])] });
  };
}

/** The IRIs among the shapes, those that prefixed names stand for, and what is neither. */
function readShapes(parameters: URLSearchParams): { shapes: string[]; unknown: string | undefined } {
  const written = parameters.getAll('shapes').map((shape) => shape.trim());
  const meant = written.flatMap((shape) => {
    const [, ...expanded] = shapesNamed(shape);
    return expanded.length > 0 ? expanded : [canonicalShape(shape)];
  });
  const shapes = [...new Set(meant.filter(isAbsoluteIri))].slice(0, MOST_SHAPES);
  return { shapes, unknown: meant.find((shape) => shape !== '' && !isAbsoluteIri(shape)) };
}
