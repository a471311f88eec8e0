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
  type Representation,
  type Serving,
  variantOf,
} from '../representation.js';
import { meantComponents, meantUris } from './component-uri.js';
import type { WritingParts } from './publish.js';

/** Where it is looked up what is said of a component. */
type Lookup = Pick<Catalog, 'statements'>;

export interface SingleComponentParts extends Serving {
  readonly lookup: Lookup;
  /** Answers browsers, which ask for HTML. */
  readonly page: Handler;
}

/** HTML last: browsers ask for it by name, and programs that name no type get JSON. */
const OFFERED = [...COMPONENT_TYPES, 'text/html'] as const;

/** `GET /c/<uri>`. */
export function getComponent(parts: SingleComponentParts): Handler {
  const { catalog, entityTag, cacheable } = parts;
  return async (c) => {
    const accept = c.req.header('accept');
    if (chooseRepresentation(accept, OFFERED) === 'text/html') return parts.page(c);
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
export async function statementsOf(lookup: Lookup, url: string): Promise<Found> {
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
