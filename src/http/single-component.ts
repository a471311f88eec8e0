import type { Context } from 'hono';
import type { Naming } from '../component/codec.js';
import { LOCAL, type Source } from '../component/precedence.js';
import type { Config } from '../config.js';
import { percentDecode } from '../lib/http/percent.js';
import { Problem } from '../lib/http/problem.js';
import type { Answer, Handler } from '../lib/http/resource.js';
import type { Catalog, Entry } from '../store/catalog.js';
import type { Registry } from '../store/registry.js';
import type { Revision } from '../store/revision.js';
import { componentPage, noComponentPage } from '../web/component-page.js';
import { PAGE_HEADERS } from '../web/page.js';
import { versionsOf } from '../web/versions.js';
import type { Cacheable } from './cacheable.js';
import { meantUris } from './component-uri.js';
import { chooseRepresentation } from './negotiate.js';
import { requireWriter } from './operator.js';
import { nodeView, type PageParts, pageAnswer } from './page-answer.js';
import { COMPONENT_TYPES, componentBody, contentTypeOf, variantOf } from './representation.js';

export interface SingleComponentParts extends PageParts {
  readonly registry: () => Registry;
  readonly naming: Naming;
  readonly entityTag: (revision: Revision, variant: string) => string;
  readonly cacheable: Cacheable;
}

/** A browser that is sent to a component's address gets the page about it; programs name what they want, or nothing. */
const OFFERED = [...COMPONENT_TYPES, 'text/html'] as const;

/** `GET /c/<uri>`. */
export function getComponent(parts: SingleComponentParts): Handler {
  const { registry, naming, entityTag, cacheable } = parts;
  return (c) => {
    const type = chooseRepresentation(c.req.header('accept'), OFFERED);
    if (type === 'text/html') return getComponentPage(parts, c);
    const { catalog, revision } = registry();
    const statements = findStatements(catalog, c.req.url);
    const validators = {
      etag: entityTag(revision, variantOf(type)),
      since: revision.since,
      repeatable: true,
    };
    return cacheable(c, validators, (headers) => ({
      status: 200,
      headers: { ...headers, 'content-type': contentTypeOf(type) },
      body: componentBody(statements, type, naming),
    }));
  };
}

function getComponentPage(parts: SingleComponentParts, c: Context): Answer {
  const { catalog, revision } = parts.registry();
  const node = nodeView(parts);
  const [first, ...others] = statementsOf(catalog, c.req.url);
  if (!first) return pageAnswer(noComponentPage(node, meantUris(c.req.url)[0] ?? ''), 404);
  const versions = versionsOf(first, catalog.select({ label: first.metadata.label }).entries);
  const page = componentPage({ node, statements: [first, ...others], versions });
  const validators = { etag: parts.entityTag(revision, 'html'), since: revision.since };
  return parts.cacheable(c, validators, (headers) => ({
    status: 200,
    headers: { ...PAGE_HEADERS, ...headers },
    body: page,
  }));
}

/** `DELETE /c/<uri>`: takes back the node's own statement; what others say is theirs to take back. */
export function deleteComponent(
  registry: () => Registry,
  config: Pick<Config, 'write' | 'operatorToken' | 'baseUrl'>,
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
  const statements = statementsOf(catalog, url);
  if (statements.length > 0) return statements;
  if (percentDecode(url) === undefined) throw new Problem(400, 'The path is not valid percent-encoding');
  throw new Problem(404, `No component with the uri ${JSON.stringify(meantUris(url)[0])} is known here`);
}

/** Every description of the component that the address means; none when nobody describes it. */
function statementsOf(catalog: Catalog, url: string): readonly Entry[] {
  const all = meantUris(url).map((uri) => catalog.statements(uri));
  return all.find((statements) => statements.length > 0) ?? [];
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
