import type { Changes, StatementChange } from '../../catalog/catalog.js';
import type { Description } from '../../catalog/description.js';
import type { UnknownState } from '../../core/feed-window.js';
import type { Facts } from '../../explain/facts.js';
import { type Why, whyOf } from '../../explain/why.js';
import { momentsAsText } from '../../http/moments.js';
import type { Reports } from '../../http/operations/reports.js';
import { findVersions } from '../../http/versions/find-versions.js';
import { chooseRepresentation } from '../../lib/http/headers/negotiate.js';
import { Problem } from '../../lib/http/problem.js';
import type { Handler } from '../../lib/http/resource.js';
import { pacedBody } from '../../lib/http/response/paced-body.js';
import { type FactSources, findFacts } from '../find-facts.js';
import { pageAnswer } from '../shell/page-answer.js';
import { type DocumentParts, getDocument } from './document-page.js';
import { whyForm, whyPage } from './why-view.js';

export interface WhyPageParts extends DocumentParts, FactSources {
  readonly reports: Reports;
}

/** `facts`: what this node knows by itself of the component that is served. */
type WhyWithFacts = Why & { readonly facts?: Facts };

/** Removals of one component that are looked at. */
const REMOVALS = 100;
const LONGEST_URI = 2048;

/**
 * `GET /why?uri=`: why a component is served as it is, or not at all; as a page, or as JSON. `?document=`: what became of
 * a document.
 */
export function getWhy(parts: WhyPageParts): Handler {
  const ofDocument = getDocument(parts);
  return async (request) => {
    const { req, pace } = request;
    if (req.query('document')) return ofDocument(request);
    const type = chooseRepresentation(req.header('accept'), ['application/json', 'text/html']);
    const uri = req.query('uri') ?? '';
    if (uri === '' && type === 'text/html') return pageAnswer(whyForm(parts.node()));
    if (uri === '' || uri.length > LONGEST_URI) {
      const wanted = `at most ${LONGEST_URI} characters`;
      throw new Problem(
        422,
        `Ask for a component or a document: /why?uri=<${wanted}>, /why?document=<${wanted}>`,
      );
    }
    const why = await findWhy(uri, { ...parts, pace });
    if (type === 'text/html') return pageAnswer(await pacedBody(whyPage(parts.node(), why), pace));
    const headers = { 'content-type': 'application/json', 'cache-control': 'no-store', vary: 'Accept' };
    return { status: 200, headers, body: await pacedBody(jsonPieces(why), pace) };
  };
}

async function findWhy(uri: string, parts: WhyPageParts): Promise<WhyWithFacts> {
  const { catalog, reports, pace } = parts;
  const statements = await catalog.statements(uri);
  const found = {
    statements,
    removals: await removalsOf(uri, parts),
    sources: await reports.status(),
    refusals: reports.refusals(),
  };
  const facts = await factsAbout(statements, parts);
  return { ...(await whyOf(uri, found, pace())), ...(facts && { facts }) };
}

/** None where nobody describes it. */
async function factsAbout(
  [served, ...others]: readonly Description[],
  parts: WhyPageParts,
): Promise<Facts | undefined> {
  if (!served) return undefined;
  const { others: namesakes } = await findVersions(served, parts.catalog, parts.pace);
  return findFacts([served, ...others], namesakes, { ...parts, baseUrl: parts.node().baseUrl });
}

/** Gives way to other work: all removals that are remembered are looked at. */
async function removalsOf(
  uri: string,
  { catalog, pace }: Pick<WhyPageParts, 'catalog' | 'pace'>,
): Promise<readonly StatementChange[]> {
  const breathe = pace();
  const removals: StatementChange[] = [];
  for (let after: number | undefined = 0; after !== undefined && removals.length < REMOVALS; ) {
    const asked = { uri, after, removals: true, limit: REMOVALS };
    const answer: Changes | UnknownState = await catalog.changes(asked);
    if ('unknown' in answer) break;
    removals.push(...answer.changes.filter(({ metadata }) => metadata === undefined));
    after = answer.next;
    await breathe();
  }
  return removals;
}

/** The JSON of an answer, with times as text. In many short pieces, because a component may have thousands of descriptions. */
function* jsonPieces({ source, statements, removed, unread, ...rest }: WhyWithFacts): Generator<string> {
  const others = {
    ...rest,
    served: statements.some(({ isServed }) => isServed),
    source,
    removed,
    unread,
  };
  yield `${JSON.stringify(others, momentsAsText).slice(0, -1)},"statements":[`;
  for (const [i, { isServed, ...one }] of statements.entries())
    yield `${i === 0 ? '' : ','}${JSON.stringify({ ...one, served: isServed }, momentsAsText)}`;
  yield ']}\n';
}
