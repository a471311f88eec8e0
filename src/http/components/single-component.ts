import type { Catalog } from '../../catalog/catalog.js';
import { type Description, withMetadata } from '../../catalog/description.js';
import type { Naming } from '../../component/naming.js';
import { LOCAL } from '../../component/source.js';
import { EXAMPLES_PATH, type Examples } from '../../example-data.js';
import { chooseRepresentation } from '../../lib/http/headers/negotiate.js';
import { Problem } from '../../lib/http/problem.js';
import { percentDecode } from '../../lib/http/request/percent.js';
import type { Answer, Handler, RouteContext } from '../../lib/http/resource.js';
import { pacedBody } from '../../lib/http/response/paced-body.js';
import { pageHeaders, sourceOf } from '../../web/content-policy.js';
import { footVariant } from '../../web/node-state.js';
import { requireWriter, writerOf } from '../access/operator.js';
import { type FactSources, findFacts } from '../find-facts.js';
import { type ModuleLooksParts, moduleLooks } from '../matching/module-looks.js';
import { type PageParts, pageAnswer } from '../page-answer.js';
import { componentPage, noComponentPage } from '../pages/component/component-view.js';
import { readWebAddress } from '../pages/web-address.js';
import {
  COMPONENT_TYPES,
  componentBody,
  contentTypeOf,
  type Representation,
  type Serving,
  variantOf,
} from '../representation.js';
import { findVersions } from '../versions/find-versions.js';
import { chosenRepresentation } from './chosen-representation.js';
import { meantComponents, meantUris } from './component-uri.js';
import type { WritingParts } from './publish.js';

/** Where it is looked up what is said of a component. */
type Lookup = Pick<Catalog, 'statements'>;

export interface SingleComponentParts extends Serving, PageParts, FactSources, ModuleLooksParts {
  readonly lookup: Lookup;
  readonly examples: () => Promise<Examples>;
}

/** HTML last: browsers ask for it by name, and programs that name no type get JSON. */
const OFFERED = [...COMPONENT_TYPES, 'text/html'] as const;

/** `GET /c/<uri>`. */
export function getComponent(parts: SingleComponentParts): Handler {
  const { catalog, entityTag, cacheable } = parts;
  return async (c) => {
    const accept = c.req.header('accept');
    if (chooseRepresentation(accept, OFFERED) === 'text/html') return getComponentPage(parts, c);
    // The state is read first: a tag older than its body costs one more request, but with a newer one the client
    // would keep an old body.
    const { naming, revision } = await catalog.state();
    const { statements, graphs } = await findStatements(parts.lookup, c.req.url);
    const representation = chosenRepresentation(accept, { graphs });
    const validators = {
      etag: entityTag(naming, revision, variantOf(representation)),
      since: revision.since,
      repeatable: true,
    };
    return cacheable.answer(c, validators, async () => {
      const headers = { 'content-type': contentTypeOf(representation.type) };
      const body = await componentBody(statements, representation, { naming, pace: parts.pace });
      // Everything that is said of a component is a listing like that of everything.
      return { status: 200, headers, body, streams: graphs === 'all' };
    });
  };
}

async function getComponentPage(parts: SingleComponentParts, c: RouteContext): Promise<Answer> {
  const catalog = parts.catalog;
  const node = parts.node();
  const { naming, revision } = await catalog.state();
  const { statements: found, entry: named } = await statementsOf(parts.lookup, c.req.url);
  const [served, ...others] = found;
  // Engines parse metadata each time that it is asked for, and the page asks often.
  const first = served && withMetadata(served);
  if (!first) return pageAnswer(noComponentPage(node, meantUris(c.req.url)[0] ?? ''), { status: 404 });
  const entry = readWebAddress(new URLSearchParams({ entry: named }), 'entry');
  const [look] = await moduleLooks([first], parts);
  // No revision tells how the node fares, or how the module was at the last look.
  const variant = `html${footVariant(node)}${look ? `-${look.state}${look.at}` : ''}`;
  const validators = { etag: parts.entityTag(naming, revision, variant), since: revision.since };
  return parts.cacheable.answer(c, validators, async () => {
    const { versions, others: namesakes } = await findVersions(first, catalog, c.pace);
    const statements = [first, ...others] as const;
    const facts = await findFacts(statements, namesakes, { ...parts, baseUrl: node.baseUrl });
    const example = first.metadata.example ?? (await exampleFor(first, naming, parts));
    const shown = { node, statements, versions, namesakes, facts, entry, example, look };
    const body = await pacedBody(componentPage(shown), c.pace);
    // The script that works out the integrity of a module fetches it in the visitor's browser.
    const headers = pageHeaders({ connect: [sourceOf(first.metadata.uri)] });
    return { status: 200, headers, body };
  });
}

/** URL of data of ours that is of the shape that a component renders. */
async function exampleFor(
  { metadata }: Description,
  { baseUrl }: Naming,
  parts: SingleComponentParts,
): Promise<string | undefined> {
  const name = (await parts.examples()).nameFor(metadata);
  return name && `${baseUrl}${EXAMPLES_PATH}/${name}#it`;
}

/** `DELETE /c/<uri>`: removes the node's own description. Only their authors can remove those of pods and peers. */
export function deleteComponent({ catalog, registry, audit, config }: Omit<WritingParts, 'pool'>): Handler {
  return async (c) => {
    const { req } = c;
    requireWriter(req.raw, config);
    const { statements } = await findStatements(catalog, req.url);
    const own = statements.find(({ source }) => source.kind === LOCAL.kind);
    if (own) {
      const { removed } = await registry.commitOwn({ remove: [own.metadata.uri] });
      if (removed > 0) {
        const subjects = [own.metadata.uri];
        audit({ who: writerOf(c, config), what: 'removed a component', subjects });
        return { status: 204 };
      }
    }
    throw new Problem(404, notOwn(statements));
  };
}

/** Every description of a component, and whether all of them are asked for. */
interface Found {
  readonly statements: readonly Description[];
  readonly graphs: Representation['graphs'];
  /** URL of data to show it with; `''` for none. */
  readonly entry: string;
}

/** @throws Problem 404 when nobody describes it, 400 when the path cannot be read */
async function findStatements(lookup: Lookup, url: string): Promise<Found> {
  const found = await statementsOf(lookup, url);
  if (found.statements.length > 0) return found;
  if (percentDecode(url) === undefined) throw new Problem(400, 'The path is not valid percent-encoding');
  const [uri = ''] = meantUris(url);
  throw new Problem(
    404,
    `No component with the uri ${JSON.stringify(uri)} is known here; GET /why?uri=${encodeURIComponent(uri)} says why`,
  );
}

/** Every description of the component that the address means; none when nobody describes it. */
async function statementsOf(lookup: Lookup, url: string): Promise<Found> {
  for (const { uri, graphs, entry } of meantComponents(url)) {
    const statements = await lookup.statements(uri);
    if (statements.length > 0) return { statements, graphs, entry };
  }
  return { statements: [], graphs: 'default', entry: '' };
}

function notOwn(statements: readonly Description[]): string {
  const who = statements
    .filter(({ source }) => source.kind !== LOCAL.kind)
    .map(({ source }) => `the ${source.kind} ${source.url}`);
  if (who.length === 0) return 'The component is gone already';
  return `This node itself says nothing about the component; it is described by ${who.join(', ')}, and deleted there`;
}
