import type { Catalog } from '../../catalog/catalog.js';
import type { Metadata } from '../../component/metadata.js';
import { componentAddress, type Naming } from '../../component/naming.js';
import { LOCAL } from '../../component/source.js';
import type { Config } from '../../config.js';
import type { Clock } from '../../lib/clock.js';
import { counted } from '../../lib/counted.js';
import { type EncodedBody, readEncodedBody } from '../../lib/http/request/request-body.js';
import type { Answer, Handler, RouteContext } from '../../lib/http/resource.js';
import type { Pace } from '../../lib/pace.js';
import type { TaskPool } from '../../lib/pool/task.js';
import type { Registry } from '../../registry/registry.js';
import type { Audit } from '../access/audit.js';
import { requireWriter, writerOf } from '../access/operator.js';
import {
  chosenRepresentation,
  contentTypeOf,
  listBody,
  type Representation,
  type Written,
} from '../representation.js';
import { largeBodyTurns } from './large-body-turns.js';
import { POSTED_TYPES, readComponents } from './posted-components.js';

/** What changing the node's own descriptions needs. */
export interface WritingParts {
  readonly registry: Registry;
  readonly catalog: Catalog;
  /** Where posted documents are parsed. */
  readonly pool: TaskPool;
  readonly audit: Audit;
  readonly config: Pick<Config, 'write' | 'operatorToken' | 'limits' | 'baseUrl'>;
}

export interface PublishParts extends WritingParts {
  readonly pace: Pace;
  readonly clock: Clock;
}

/** `POST /component`: adds or replaces the node's own statements, all of those in the body or none. */
export function publishComponents(parts: PublishParts): Handler {
  const { config } = parts;
  const turns = largeBodyTurns({ clock: parts.clock, limit: config.limits.bodyBytes });
  return async (c) => {
    const { raw } = c.req;
    requireWriter(raw, config);
    const representation = chosenRepresentation(c.req.header('accept'), { graphs: 'default' });
    const read = () => readEncodedBody(c.req, { accepted: POSTED_TYPES, limit: config.limits.bodyBytes });
    return turns(raw, read, (body) => publish(body, representation, parts, c));
  };
}

async function publish(
  body: EncodedBody,
  representation: Representation,
  parts: PublishParts,
  c: RouteContext,
): Promise<Answer> {
  const { registry, catalog, config, pool } = parts;
  const { naming } = await catalog.state();
  const parsing = { pool, lane: 'post', signal: c.req.raw.signal } as const;
  const components = await readComponents(body, { naming, batch: config.limits.batch, parsing });
  const { added } = await registry.commitOwn({ put: components });
  parts.audit({
    who: writerOf(c, config),
    what: `posted ${counted(components.length, 'component')}`,
    subjects: components.map(({ uri }) => uri),
  });
  return {
    status: added > 0 ? 201 : 200,
    headers: {
      'content-type': contentTypeOf(representation.type),
      vary: 'Accept',
      'cache-control': 'no-store',
      ...locationOf(components, naming),
    },
    // What was saved, which is not what is served when a source of higher precedence describes it too.
    body: await listBody([await attributed(components, parts)], representation, { naming, pace: parts.pace }),
    streams: true,
  };
}

/** What was saved, with what `GET` says of it: a statement that says the same as before is as old as it was. */
async function attributed(
  components: readonly Metadata[],
  { catalog, clock, pace }: PublishParts,
): Promise<Written[]> {
  const breathe = pace();
  const described: Written[] = [];
  for (const metadata of components) {
    const statements = await catalog.statements(metadata.uri);
    const own = statements.find(({ source }) => source.kind === LOCAL.kind);
    const { since, pin } = own ?? { since: clock.now() };
    described.push({ source: LOCAL, document: LOCAL.url, trust: 'own', metadata, since, pin });
    await breathe();
  }
  return described;
}

function locationOf([first, ...others]: readonly Metadata[], { baseUrl }: Naming): Record<string, string> {
  if (!first || others.length > 0) return {};
  return { location: componentAddress(baseUrl, encodeURIComponent(first.uri)) };
}
