import type { Catalog } from '../../catalog/catalog.js';
import { isSameAddress, type Why, whyOf } from '../../explain/why.js';
import { momentsAsText } from '../../http/moments.js';
import type { Reports } from '../../http/operations/reports.js';
import { unlessHeld } from '../../lib/http/cacheable.js';
import { chooseRepresentation } from '../../lib/http/headers/negotiate.js';
import { jsonAnswer } from '../../lib/http/json-answer.js';
import { Problem } from '../../lib/http/problem.js';
import { parametersOf } from '../../lib/http/request/url-parameters.js';
import type { Handler } from '../../lib/http/resource.js';
import { textTag } from '../../lib/http/response/conditional.js';
import { isAbsoluteIri } from '../../lib/iri.js';
import type { Breather } from '../../lib/pace.js';
import type { Registry } from '../../registry/registry.js';
import { type PageParts, pageAnswer } from '../shell/page-answer.js';
import { documentPage, documentRow } from './document-view.js';
import { documentsBelow, findDocument } from './known-document.js';
import { brief, inFull, receiptOf, receivedFrom } from './receipt.js';
import { type Asked, whyPage } from './view.js';

interface WhyPageParts extends PageParts {
  readonly registry: Registry;
  readonly catalog: Catalog;
  readonly reports: Reports;
}

/** Characters of an address that is asked for. */
const LONGEST = 2048;

/**
 * `GET /why?uri=`: why a component is served as it is, or not at all; as a page, or as JSON. `?document=`: what became of
 * a document, or of those of a source or a container: the receipt that publishers wait for.
 */
export function getWhy(parts: WhyPageParts): Handler {
  return async (c) => {
    const type = chooseRepresentation(c.req.header('accept'), ['application/json', 'text/html']);
    const parameters = parametersOf(c.req.url);
    const document = parameters.get('document')?.trim() ?? '';
    const uri = document === '' ? (parameters.get('uri')?.trim() ?? '') : document;
    const asked: Asked = { isDocument: document !== '', isAgain: parameters.has('asked') };
    if (uri === '' && type === 'text/html') return pageAnswer(whyPage(parts.node(), asked));
    if (uri === '' || uri.length > LONGEST) {
      const some = `at most ${LONGEST} characters`;
      const how = `/why?uri=<${some}>, /why?document=<${some}>`;
      throw new Problem(422, `Ask for a component or a document: ${how}`);
    }
    const { json, page, status } = await toldOf(uri, asked, parts, c.pace());
    if (type === 'application/json') return jsonAnswer(await json(), { vary: 'Accept' }, momentsAsText);
    const text = page();
    return unlessHeld(c, textTag(text), pageAnswer(text, { ...(status && { status }) }));
  };
}

/** An answer: for programs, and as a page. */
interface Told {
  readonly json: () => object | Promise<object>;
  readonly page: () => string;
  readonly status?: number;
}

async function toldOf(uri: string, asked: Asked, parts: WhyPageParts, breathe: Breather): Promise<Told> {
  const { registry, catalog } = parts;
  const node = parts.node();
  const sources = asked.isDocument ? await registry.sources() : [];
  const document = findDocument(uri, sources);
  if (document) {
    const received = await receivedFrom(document, inFull, catalog, breathe);
    const page = () => documentPage(node, document, received, asked);
    return { json: () => receiptOf(document, received), page };
  }
  const why = await findWhy(uri, parts);
  const isRubbish = !isAbsoluteIri(uri) && isUnheardOf(why);
  const refusal = isRubbish ? { status: 422 } : {};
  if (!asked.isDocument)
    return { json: () => why, page: () => whyPage(node, { ...asked, isRubbish }, why), ...refusal };
  const { count, documents } = await documentsBelow(uri, sources, breathe);
  const source = why.source && isSameAddress(why.source.url, uri) ? why.source : undefined;
  const isKnown = source !== undefined || count > 0;
  const rows = documents.map((one) => documentRow(one, node.baseUrl));
  const rest =
    count > rows.length ? [{ head: `${rows.length} of ${count}: ask for another by its URL` }] : [];
  return {
    json: async () => {
      if (!isKnown) throw new Problem(404, 'No source that this node reads has this document');
      const told: object[] = [];
      for (const one of documents) {
        const descriptions = await receivedFrom(one, brief, catalog, breathe);
        told.push({ document: one.url, source: one.source, readAt: one.record.readAt, descriptions });
      }
      return { container: uri, source, documents: told };
    },
    page: () => whyPage(node, { ...asked, isDocument: !isKnown, isRubbish }, why, [...rows, ...rest]),
    ...(!isKnown && { status: 404 }),
    ...refusal,
  };
}

/** What is no address may be told of all the same: peers and documents name much. */
function isUnheardOf({ served, source, invalid, removed, refused }: Why): boolean {
  return !served && !source && [invalid, removed, refused].every(({ length }) => length === 0);
}

async function findWhy(uri: string, parts: WhyPageParts): Promise<Why> {
  const { catalog, reports } = parts;
  const statements = await catalog.statements(uri);
  const removals = await catalog.removals(uri);
  const { refusalsAbove } = reports;
  const told = { refusals: reports.refusals(), refusalsAbove };
  return whyOf(uri, { statements, removals, sources: await reports.status(), ...told });
}
