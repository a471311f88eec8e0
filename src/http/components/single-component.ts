import type { Catalog } from '../../catalog/catalog.js';
import type { Description } from '../../catalog/description.js';
import { LOCAL } from '../../component/source.js';
import { chooseRepresentation } from '../../lib/http/headers/negotiate.js';
import { Problem } from '../../lib/http/problem.js';
import { percentDecode } from '../../lib/http/request/percent.js';
import type { Handler } from '../../lib/http/resource.js';
import { requireWriter, writerOf } from '../access/operator.js';
import {
  COMPONENT_TYPES,
  chosenRepresentation,
  componentBody,
  contentTypeOf,
  type Serving,
  variantOf,
} from '../representation.js';
import { type MeantComponent, meantComponents, meantUris } from './component-uri.js';
import type { WritingParts } from './publish.js';

/** HTML last: browsers ask for it by name, and programs that name no type get JSON. */
const OFFERED = [...COMPONENT_TYPES, 'text/html'] as const;

/** `GET /c/<uri>`. `page` answers browsers, which ask for HTML. */
export function getComponent({ catalog, pace, entityTag, cacheable }: Serving, page: Handler): Handler {
  return async (c) => {
    const accept = c.req.header('accept');
    if (chooseRepresentation(accept, OFFERED) === 'text/html') return page(c);
    // The state is read first: a tag older than its body costs one more request, but with a newer one the client
    // would keep an old body.
    const { naming, revision } = await catalog.state();
    const { statements, graphs } = await findStatements(catalog, c.req.url);
    const representation = chosenRepresentation(accept, { graphs });
    const validators = {
      etag: entityTag(naming, revision, variantOf(representation)),
      since: revision.since,
      repeatable: true,
    };
    return cacheable.answer(c, validators, async () => {
      const headers = { 'content-type': contentTypeOf(representation.type) };
      const body = await componentBody(statements, representation, { naming, pace });
      // Everything that is said of a component is a listing like that of everything.
      return { status: 200, headers, body, streams: graphs === 'all' };
    });
  };
}

/** `DELETE /c/<uri>`: removes the node's own description. Only their authors can remove those of pods and peers. */
export function deleteComponent({ registry, audit, config }: WritingParts, catalog: Catalog): Handler {
  return async (c) => {
    requireWriter(c.req.raw, config);
    const { statements } = await findStatements(catalog, c.req.url);
    const own = statements.find(({ source }) => source.kind === LOCAL.kind)?.metadata.uri;
    if (own === undefined || (await registry.commitOwn({ remove: [own] })).removed === 0)
      throw new Problem(404, notOwn(statements));
    audit({ who: writerOf(c, config), what: 'removed a component', subjects: [own] });
    return { status: 204 };
  };
}

/** Every description of the component that a request means, and what else is asked for. */
interface Found extends Omit<MeantComponent, 'uri'> {
  readonly statements: readonly Description[];
}

/** @throws Problem 404 when nobody describes it, 400 when the path cannot be read */
async function findStatements(catalog: Catalog, url: string): Promise<Found> {
  const found = await statementsOf(catalog, url);
  if (found.statements.length > 0) return found;
  if (percentDecode(url) === undefined) throw new Problem(400, 'The path is not valid percent-encoding');
  const [uri = ''] = meantUris(url);
  throw new Problem(
    404,
    `No component with the uri ${JSON.stringify(uri)} is known here; GET /why?uri=${encodeURIComponent(uri)} says why`,
  );
}

/** Every description of the component that the address means; none when nobody describes it. */
export async function statementsOf(catalog: Catalog, url: string): Promise<Found> {
  for (const { uri, graphs, entry } of meantComponents(url)) {
    const statements = await catalog.statements(uri);
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
