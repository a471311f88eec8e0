import type { Metadata } from '../../component/metadata.js';
import { componentAddress, type Naming } from '../../component/naming.js';
import { LOCAL } from '../../component/source.js';
import type { Config } from '../../config.js';
import type { Clock } from '../../lib/clock.js';
import { counted } from '../../lib/counted.js';
import { type EncodedBody, readEncodedBody } from '../../lib/http/request/request-body.js';
import type { Answer, Handler, RouteContext } from '../../lib/http/resource.js';
import type { TaskPool } from '../../lib/pool/task.js';
import type { Registry } from '../../registry/registry.js';
import type { Audit } from '../access/audit.js';
import { requireWriter, writerOf } from '../access/operator.js';
import {
  COMPONENT_TYPES,
  chosenRepresentation,
  contentTypeOf,
  listBody,
  type Representation,
  type Serving,
  type Written,
} from '../representation.js';
import { largeBodyTurns } from './large-body-turns.js';
import { readComponents } from './posted-components.js';

/** What changing the node's own descriptions needs. */
export interface WritingParts {
  readonly registry: Registry;
  /** Where posted documents are parsed. */
  readonly pool: TaskPool;
  readonly clock: Clock;
  readonly audit: Audit;
  readonly config: Pick<Config, 'write' | 'mode' | 'operatorToken' | 'limits' | 'baseUrl'>;
}

/** `POST /component`: adds or replaces the node's own statements, all of those in the body or none. */
export function publishComponents(writing: WritingParts, serving: Serving): Handler {
  const { config, clock } = writing;
  const { bodyBytes: limit } = config.limits;
  const turns = largeBodyTurns({ clock, limit });
  return async (c) => {
    const { raw } = c.req;
    requireWriter(raw, config);
    const representation = chosenRepresentation(c.req.header('accept'), { graphs: 'default' });
    const read = () => readEncodedBody(c.req, { accepted: COMPONENT_TYPES, limit });
    return turns(raw, read, (body) => publish(body, representation, { writing, serving }, c));
  };
}

async function publish(
  body: EncodedBody,
  representation: Representation,
  { writing, serving }: { readonly writing: WritingParts; readonly serving: Serving },
  c: RouteContext,
): Promise<Answer> {
  const { registry, config, pool, audit, clock } = writing;
  const { catalog, pace } = serving;
  const { naming } = await catalog.state();
  const parsing = { pool, lane: 'post', signal: c.req.raw.signal } as const;
  const components = await readComponents(body, { naming, batch: config.limits.batch, parsing });
  const { added } = await registry.commitOwn({ put: components });
  audit({
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
    body: await listBody([await attributed(components, clock, serving)], representation, { naming, pace }),
    streams: true,
  };
}

/** What was saved, with what `GET` says of it: a statement that says the same as before is as old as it was. */
async function attributed(
  components: readonly Metadata[],
  clock: Clock,
  { catalog, pace }: Serving,
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
