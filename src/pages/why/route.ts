import type { Catalog, StatementChange } from '../../catalog/catalog.js';
import type { Description } from '../../catalog/description.js';
import { findContainer, findDocument } from '../../explain/document-receipt.js';
import type { Facts } from '../../explain/facts.js';
import { sourceNamed, type Why, whyOf } from '../../explain/why.js';
import { momentsAsText } from '../../http/moments.js';
import type { Reports } from '../../http/operations/reports.js';
import { findVersions } from '../../http/versions/find-versions.js';
import { chooseRepresentation } from '../../lib/http/headers/negotiate.js';
import { jsonAnswer } from '../../lib/http/json-answer.js';
import { Problem } from '../../lib/http/problem.js';
import { parametersOf } from '../../lib/http/request/url-parameters.js';
import type { Answer, Handler } from '../../lib/http/resource.js';
import { pacedBody } from '../../lib/http/response/paced-body.js';
import { textTag } from '../../lib/http/response/text-tag.js';
import type { Pace } from '../../lib/pace.js';
import { sortedBy } from '../../lib/sort.js';
import { withoutTrailingSlashes } from '../../lib/trailing-slashes.js';
import { type FactSources, findFacts } from '../find-facts.js';
import { type PageParts, pageAnswer } from '../shell/page-answer.js';
import { taggedPage } from '../shell/tagged-page.js';
import { containerPage, documentPage } from './document-view.js';
import { readPage } from './page-links.js';
import { documentsBelow, receiptOf, receivedFrom } from './receipt.js';
import { whyForm, whyPage } from './view.js';

export interface WhyPageParts extends PageParts, FactSources {
  readonly catalog: Catalog;
  readonly reports: Reports;
  readonly pace: Pace;
}

/** `facts`: what this node knows by itself of the component that is served. */
type WhyWithFacts = Why & { readonly facts?: Facts };

/** Removals of one component that are looked at. */
const REMOVALS = 100;
const LONGEST = 2048;

/**
 * `GET /why?uri=`: why a component is served as it is, or not at all; as a page, or as JSON. `?document=`: what became of
 * a document, or of those of a source.
 */
export function getWhy(given: WhyPageParts): Handler {
  return async (c) => {
    const parts = { ...given, pace: c.pace };
    const type = chooseRepresentation(c.req.header('accept'), ['application/json', 'text/html']);
    const parameters = parametersOf(c.req.url);
    const document = parameters.get('document')?.trim() ?? '';
    const uri = document === '' ? (parameters.get('uri') ?? '') : document;
    const node = parts.node();
    if (uri === '' && type === 'text/html') return pageAnswer(whyForm(node));
    if (uri === '' || uri.length > LONGEST) {
      const some = `at most ${LONGEST} characters`;
      const how = `/why?uri=<${some}>, /why?document=<${some}>`;
      throw new Problem(422, `Ask for a component or a document: ${how}`);
    }
    if (document !== '') {
      const known =
        type === 'text/html' ? await knownPage(document, parameters, parts) : await receipt(document, parts);
      if (typeof known === 'string') return taggedPage(c, { etag: textTag(known), body: () => known });
      if (known) return jsonAnswer(known, { vary: 'Accept' }, momentsAsText);
    }
    const why = await findWhy(uri, parts);
    if (type === 'application/json') return whyAnswer(why, parts);
    const isSource = why.source !== undefined && isSameSource(why.source.url, uri);
    const asked = { isDocument: document !== '' && !isSource, isAgain: parameters.has('asked') };
    const status = asked.isDocument ? 404 : 200;
    const body = await pacedBody(whyPage(node, why, asked), c.pace);
    return typeof body === 'string'
      ? taggedPage(c, { etag: textTag(body), body: () => body, status })
      : pageAnswer(body, { status });
  };
}

/** The page of a document, or of a source with its documents; undefined where this node has none of it. */
async function knownPage(
  url: string,
  parameters: URLSearchParams,
  { registry, catalog, pace, node }: WhyPageParts,
) {
  const sources = await registry.sources();
  const isAgain = parameters.has('asked');
  const document = findDocument(url, sources);
  if (document) {
    const received = await receivedFrom(document, catalog, pace());
    return documentPage(node(), document, received, { isDocument: true, isAgain });
  }
  const container = findContainer(url, sources);
  if (!container) return undefined;
  const names = await sortedBy([...container.documents.keys()], (name) => name, pace());
  return containerPage(node(), { ...container, names }, readPage(parameters), { isDocument: false, isAgain });
}

/** The same for programs: the receipt that publishers wait for. @throws Problem 404 where this node has none of it */
async function receipt(url: string, { registry, catalog, reports, pace }: WhyPageParts): Promise<object> {
  const sources = await registry.sources();
  const document = findDocument(url, sources);
  if (document) return receiptOf(document, await receivedFrom(document, catalog, pace()));
  const documents = await documentsBelow(url, sources, catalog, pace());
  const named = sourceNamed(url, await reports.status());
  const source = named && isSameSource(named.url, url) ? named : undefined;
  if (source || documents.length > 0) return { container: url, source, documents };
  throw new Problem(404, 'No source that this node reads has this document');
}

function isSameSource(one: string, other: string): boolean {
  return withoutTrailingSlashes(one) === withoutTrailingSlashes(other);
}

async function findWhy(uri: string, parts: WhyPageParts): Promise<WhyWithFacts> {
  const { catalog, reports, pace } = parts;
  const statements = await catalog.statements(uri);
  const removals = await removalsOf(uri, parts);
  const found = { statements, removals, sources: await reports.status(), refusals: reports.refusals() };
  const facts = await factsAbout(statements, parts);
  return { ...(await whyOf(uri, found, pace())), ...(facts && { facts }) };
}

/** None where nobody describes it. */
async function factsAbout([served, ...others]: readonly Description[], parts: WhyPageParts) {
  if (!served) return undefined;
  const { others: namesakes } = await findVersions(served, parts.catalog, parts.pace);
  return findFacts([served, ...others], namesakes, { ...parts, baseUrl: parts.node().baseUrl });
}

/** Gives way to other work: all removals that are remembered are looked at. */
async function removalsOf(uri: string, { catalog, pace }: WhyPageParts): Promise<StatementChange[]> {
  const breathe = pace();
  const removals: StatementChange[] = [];
  for (let after: number | undefined = 0; after !== undefined && removals.length < REMOVALS; ) {
    const answer: Awaited<ReturnType<typeof catalog.changes>> = await catalog.changes({
      ...{ uri, after, removals: true, limit: REMOVALS },
    });
    if ('unknown' in answer) break;
    removals.push(...answer.changes.filter(({ metadata }) => metadata === undefined));
    after = answer.next;
    await breathe();
  }
  return removals;
}

/** With times as text. In many short pieces, because a component may have thousands of descriptions. */
async function whyAnswer(why: WhyWithFacts, { pace }: WhyPageParts): Promise<Answer> {
  const headers = { 'content-type': 'application/json', 'cache-control': 'no-store', vary: 'Accept' };
  return { status: 200, headers, body: await pacedBody(jsonPieces(why), pace) };
}

/** The JSON of an answer, with times as text. In many short pieces, because a component may have thousands of descriptions. */
function* jsonPieces({ statements, source, removed, unread, ...rest }: WhyWithFacts): Generator<string> {
  const served = statements.some(({ isServed }) => isServed);
  const others = { ...rest, served, source, removed, unread };
  yield `${JSON.stringify(others, momentsAsText).slice(0, -1)},"statements":[`;
  for (const [i, { isServed, ...one }] of statements.entries())
    yield `${i === 0 ? '' : ','}${JSON.stringify({ ...one, served: isServed }, momentsAsText)}`;
  yield ']}\n';
}
