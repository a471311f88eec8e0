import { canonicalShape } from '../../component/canonical-shape.js';
import { readMatchQuestion } from '../../component/match-question.js';
import { shapesNamed } from '../../component/shape-names.js';
import { LIMITS } from '../../component/values.js';
import { planMatch } from '../../core/match-plan.js';
import { type MatchParts, matchFinder } from '../../http/matching/find-matches.js';
import { parametersOf } from '../../lib/http/request/url-parameters.js';
import type { Handler } from '../../lib/http/resource.js';
import { isAbsoluteIri } from '../../lib/iri.js';
import { enteredAddress, type PageParts, pageAnswer, sourceOf } from '../shell/page-answer.js';
import { dataPage, ENTRIES } from './view.js';

/** Shapes and properties of the data that are looked for. */
const MOST = { shapes: 8, predicates: 256 } as const;

/**
 * `GET /data?url=&shapes=&predicates=&type=`: the components that render the data at a URL. The node never reads it: a script
 * on this page does, in the visitor's browser, and asks for the page again with the names of the shapes and properties that it
 * has found, and the media type.
 */
export function getData({ node, ...parts }: PageParts & MatchParts): Handler {
  const find = matchFinder(parts);
  return async ({ req, pace }) => {
    const parameters = parametersOf(req.url);
    const { url, mistyped } = enteredAddress(parameters.get('url') ?? '');
    const { shapes, unknown } = readShapes(parameters);
    const predicates = parameters.getAll('predicates').filter(isName).slice(0, MOST.predicates);
    const mediaType = parameters.get('type') || undefined;
    const isRead = shapes.length > 0 || predicates.length > 0 || mediaType !== undefined;
    const question = readMatchQuestion({ types: shapes, predicates, mediaType, limit: ENTRIES });
    const matches = isRead ? await find(planMatch(question), pace) : [];
    const page = dataPage({ node: node(), url, mistyped, isRead, shapes, unknown, matches });
    const connect = url === '' ? [] : ['https:', sourceOf(url)];
    return pageAnswer(page, { connect, ...(mistyped !== undefined && { status: 422 }) });
  };
}

function isName(iri: string): boolean {
  return iri.length <= LIMITS.text && isAbsoluteIri(iri);
}

/** The IRIs among the shapes, those that prefixed names stand for, and what is neither. */
function readShapes(parameters: URLSearchParams): { shapes: string[]; unknown: string | undefined } {
  const written = parameters.getAll('shapes').map((shape) => shape.trim());
  const meant = written.flatMap((shape) => {
    const [, ...expanded] = shapesNamed(shape);
    return expanded.length > 0 ? expanded : [canonicalShape(shape)];
  });
  const shapes = [...new Set(meant.filter(isName))].slice(0, MOST.shapes);
  return { shapes, unknown: meant.find((shape) => shape !== '' && !isAbsoluteIri(shape)) };
}
