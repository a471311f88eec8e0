import type { Description } from '../../catalog/description.js';
import { canonicalShape } from '../../component/canonical-shape.js';
import { KINDS } from '../../component/capability.js';
import { readMatchQuestion } from '../../component/match-question.js';
import { shapesNamed } from '../../component/shape-names.js';
import { LIMITS } from '../../component/values.js';
import { isBroken, type Match, rankMatches } from '../../core/match.js';
import { type MatchPlan, planMatch } from '../../core/match-plan.js';
import { type MatchedGroup, type MatchParts, matchFinder } from '../../http/matching/find-matches.js';
import { type ModuleLooksParts, moduleLooks } from '../../http/matching/module-looks.js';
import type { Reports } from '../../http/operations/reports.js';
import { parametersOf } from '../../lib/http/request/url-parameters.js';
import type { Handler } from '../../lib/http/resource.js';
import { isAbsoluteIri } from '../../lib/iri.js';
import { sourceOf } from '../shell/content-policy.js';
import { type PageParts, pageAnswer, readWebAddress } from '../shell/page-answer.js';
import { dataPage, ENTRIES } from './view.js';

export interface DataParts extends PageParts, Omit<MatchParts & ModuleLooksParts, 'reports'> {
  readonly reports: Reports;
  /** What every node has to show data with; undefined when it has not been built. */
  readonly table: () => Description | undefined;
}

/** Shapes and properties of the data that are looked for. */
const MOST = { shapes: 8, predicates: 256 } as const;

/**
 * `GET /data?url=&shapes=&predicates=&type=`: the components that render the data at a URL. The node never reads it: a script
 * on this page does, in the visitor's browser, and asks for the page again with the names of the shapes and properties that it
 * has found, and the media type.
 */
export function getData(parts: DataParts): Handler {
  const find = matchFinder(parts);
  return async ({ req, pace }) => {
    const parameters = parametersOf(req.url);
    const url = readWebAddress(parameters, 'url');
    const { shapes, unknown } = readShapes(parameters);
    const predicates = parameters.getAll('predicates').filter(isName).slice(0, MOST.predicates);
    const mediaType = parameters.get('type') || undefined;
    const plan = planMatch(readMatchQuestion({ types: shapes, predicates, mediaType, limit: ENTRIES }));
    const isRead = shapes.length > 0 || predicates.length > 0 || mediaType !== undefined;
    const found = isRead ? await find(plan, pace) : [];
    const table = isRead && !found.some(showsAnything) ? matchOf(parts.table(), plan) : [];
    const matches = [...found, ...table];
    const heads = matches.map(({ candidate }) => candidate.group.head);
    const page = dataPage({
      node: parts.node(),
      url,
      isRead,
      shapes,
      unknown,
      matches,
      looks: await moduleLooks(heads, parts),
    });
    return pageAnswer(page, { connect: url === '' ? [] : ['https:', sourceOf(url)] });
  };
}

function isName(iri: string): boolean {
  return iri.length <= LIMITS.text && isAbsoluteIri(iri);
}

function showsAnything({ because: [reason], invocation, candidate }: Match): boolean {
  return !isBroken(candidate) && reason?.code === 'generic' && invocation?.type !== KINDS.template;
}

/** The table among what renders the data; nothing where it is no data in RDF. */
function matchOf(table: Description | undefined, plan: MatchPlan): Match<MatchedGroup>[] {
  if (!table) return [];
  const group = { head: table, versions: [table] } as const;
  return rankMatches([{ ...table, group, stored: table }], plan);
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
