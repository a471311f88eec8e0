import type { Naming } from '../component/codec.js';
import { LOCAL, type Source } from '../component/precedence.js';
import type { Config } from '../config.js';
import { percentDecode } from '../lib/percent.js';
import { Problem } from '../lib/problem.js';
import type { Handler } from '../lib/resource.js';
import type { Catalog, Entry } from '../store/catalog.js';
import type { Registry } from '../store/registry.js';
import type { Revision } from '../store/revision.js';
import type { Cacheable } from './cacheable.js';
import { meantUris } from './component-uri.js';
import { chooseRepresentation } from './negotiate.js';
import { requireWriter } from './operator.js';
import { COMPONENT_TYPES, componentBody, contentTypeOf, variantOf } from './representation.js';

export interface SingleComponentParts {
  readonly registry: () => Registry;
  readonly naming: Naming;
  readonly entityTag: (revision: Revision, variant: string) => string;
  readonly cacheable: Cacheable;
}

/** `GET /c/<uri>`. */
export function getComponent({ registry, naming, entityTag, cacheable }: SingleComponentParts): Handler {
  return (c) => {
    const type = chooseRepresentation(c.req.header('accept'), COMPONENT_TYPES);
    const { catalog, revision } = registry();
    const statements = findStatements(catalog, c.req.url);
    const validators = { etag: entityTag(revision, variantOf(type)), since: revision.since };
    return cacheable(c, validators, (headers) => ({
      status: 200,
      headers: { ...headers, 'content-type': contentTypeOf(type) },
      body: componentBody(statements, type, naming),
    }));
  };
}

/** `DELETE /c/<uri>`: takes back the node's own statement; what others say is theirs to take back. */
export function deleteComponent(
  registry: () => Registry,
  config: Pick<Config, 'write' | 'operatorToken'>,
): Handler {
  return async ({ req }) => {
    requireWriter(req.raw, config);
    const statements = findStatements(registry().catalog, req.url);
    const own = statements.find(({ source }) => source.kind === LOCAL.kind);
    if (own && (await registry().removeLocal(own.metadata.uri))) return { status: 204 };
    throw new Problem(404, notOwn(statements));
  };
}

/** @throws Problem 404 when nobody describes it, 400 when the path cannot be read */
function findStatements(catalog: Catalog, url: string): readonly Entry[] {
  const meant = meantUris(url);
  for (const uri of meant) {
    const statements = catalog.statements(uri);
    if (statements.length > 0) return statements;
  }
  if (percentDecode(url) === undefined) throw new Problem(400, 'The path is not valid percent-encoding');
  throw new Problem(404, `No component with the uri ${JSON.stringify(meant[0])} is known here`);
}

function notOwn(statements: readonly Entry[]): string {
  const who = statements
    .filter(({ source }) => source.kind !== LOCAL.kind)
    .map(({ source }) => nameOf(source));
  if (who.length === 0) return 'The component is gone already';
  return `This node itself says nothing about the component; it is described by ${who.join(', ')}, and deleted there`;
}

function nameOf({ kind, url }: Source): string {
  return `the ${kind} ${url}`;
}
