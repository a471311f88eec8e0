import * as z from 'zod';
import type { Catalog } from '../../catalog/catalog.js';
import { ownFormsOnly } from '../../http/access/own-origin.js';
import { httpUrl } from '../../http/operations/short-body.js';
import type { OwnResource } from '../../http/own-resource.js';
import type { Clock } from '../../lib/clock.js';
import { ANY_ORIGIN } from '../../lib/http/headers/cors.js';
import { chooseRepresentation } from '../../lib/http/headers/negotiate.js';
import { jsonAnswer } from '../../lib/http/json-answer.js';
import { Problem } from '../../lib/http/problem.js';
import { readFormFields, readJsonBody } from '../../lib/http/request/request-body.js';
import { parametersOf } from '../../lib/http/request/url-parameters.js';
import type { Handler, RouteRequest } from '../../lib/http/resource.js';
import type { TaskPool } from '../../lib/pool/task.js';
import { createRateLimit } from '../../lib/rate-limit.js';
import { withoutTrailingSlashes } from '../../lib/trailing-slashes.js';
import { type DraftQuestion, draftTask } from '../../publish/draft.js';
import type { Draft, LintReport } from '../../publish/finding.js';
import type { Linted } from '../../publish/lint.js';
import { hostOf, isWebAddress } from '../shell/fragments.js';
import { inHtml, type PageParts, pageAnswer } from '../shell/page-answer.js';
import { checkPage, MOST_PASTED, publishPage } from './view.js';

export interface PublishParts extends PageParts {
  readonly catalog: Catalog;
  /** Checks the document that a visitor named or pasted, until the signal is aborted. */
  readonly lint: (what: Linted, signal: AbortSignal) => Promise<LintReport>;
  /** Where documents of visitors are parsed. */
  readonly pool: TaskPool;
  readonly clock: Clock;
  readonly config: { readonly write: string };
}

/** The page /publish, and what it asks of the node, which stores nothing of it: the visitor's browser writes into their pod. */
export function publishResources(parts: PublishParts): OwnResource[] {
  const check = checkNow(parts);
  return [
    {
      path: '/publish',
      methods: {
        GET: inHtml(getPublish(parts)),
        POST: parts.config.write === 'open' ? ownFormsOnly(check) : check,
      },
    },
    { path: '/publish/client', cors: ANY_ORIGIN, methods: { GET: getClient(parts) } },
    { path: '/publish/draft', methods: { POST: makeDraft(parts) } },
  ];
}

/** Shapes that are offered while somebody types, and nodes that the page asks: this one, and the nearest of those that it reads. */
const MOST = { shapes: 300, nodes: 12 } as const;

/** This page alone may talk to any server, because pods are anywhere; its scripts are the node's own, as everywhere. */
function getPublish({ catalog, node }: PublishParts): Handler {
  return async ({ req }) => {
    const view = node();
    const edited = parametersOf(req.url).get('edit') ?? '';
    const [described] = await catalog.statements(edited);
    const { by } = await catalog.counts({});
    const frequent = [...by.shapes].toSorted(([, one], [, other]) => other - one);
    const shapes = frequent.slice(0, MOST.shapes).map(([iri]) => iri);
    const { peers } = (await catalog.state()).network;
    const near = peers.toSorted((one, other) => one.hops - other.hops).map(({ url }) => url);
    const nodes = [...new Set([view.baseUrl, ...near].map(withoutTrailingSlashes))].slice(0, MOST.nodes);
    // A node without https is tried out on somebody's own machine, and so is the pod.
    const connect = view.baseUrl.startsWith('https:') ? ['https:'] : ['https:', 'http:'];
    return pageAnswer(publishPage({ node: view, shapes, nodes, edited: described?.metadata }), { connect });
  };
}

/** The client identifier document, by which providers know who asks for a sign-in, and where to (Solid-OIDC, section 5.1). */
function getClient({ node }: PageParts): Handler {
  return () => {
    const { baseUrl } = node();
    const document = {
      '@context': ['https://www.w3.org/ns/solid/oidc-context.jsonld'],
      client_id: `${baseUrl}/publish/client`,
      client_name: `Component registry ${hostOf(baseUrl)}`,
      client_uri: `${baseUrl}/publish`,
      redirect_uris: [`${baseUrl}/publish`],
      scope: 'openid webid offline_access',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    };
    return jsonAnswer(document, { 'content-type': 'application/ld+json', 'cache-control': 'no-cache' });
  };
}

/** Checks make requests and parse answers; the page asks for a draft whenever nothing has been typed for a moment. */
const BOUNDS = {
  check: { concurrent: 2, perMinute: 12 },
  draft: { concurrent: 4, perMinute: 600 },
} as const;
/** Bytes of bodies; a text in a form takes up to three times its length. */
const BODY = { form: 3 * MOST_PASTED + 10_000, draft: 1_100_000 } as const;

/** Has work done within bounds. @throws Problem 429 that says when to come back */
function bounded(clock: Clock, work: keyof typeof BOUNDS) {
  const rateLimit = createRateLimit(clock, BOUNDS[work]);
  return <T>(done: () => Promise<T>): Promise<T> =>
    rateLimit.run(done, (retryMs) => {
      const seconds = String(Math.ceil(retryMs / 1000));
      const refusal = `This node is asked for a ${work} a lot just now; try again in ${seconds} s`;
      throw new Problem(429, refusal, { headers: { 'retry-after': seconds } });
    });
}

/** Checks a metadata document and its modules; as a page, or as JSON. */
function checkNow({ node, lint, clock }: PublishParts): Handler {
  const within = bounded(clock, 'check');
  return async ({ req }) => {
    const type = chooseRepresentation(req.header('accept'), ['application/json', 'text/html']);
    const asked = await readForm(req);
    const report = await within(() => lint(asked, req.raw.signal));
    if (type === 'text/html') return pageAnswer(checkPage({ node: node(), asked, report }));
    return jsonAnswer(withWhy(report, node().baseUrl), { vary: 'Accept' });
  };
}

/** Each component with the address that says why it is served here, or not. */
function withWhy({ components, ...report }: LintReport, baseUrl: string) {
  const why = (uri: string) => `${baseUrl}/why?${new URLSearchParams({ uri })}`;
  return {
    ...report,
    why: why(report.document),
    components: components.map((component) => ({ ...component, why: why(component.uri) })),
  };
}

/** @throws Problem 422 unless the form has a text, or names a web address */
async function readForm(req: RouteRequest): Promise<Linted> {
  const fields = await readFormFields(req, BODY.form);
  const [url, text] = [fields.get('url')?.trim() ?? '', fields.get('text') ?? ''];
  if (text.length > MOST_PASTED)
    throw new Problem(413, `The text is longer than ${MOST_PASTED} characters: check it at its URL`);
  if (isWebAddress(url)) return text.trim() === '' ? { url } : { text, url };
  if (url === '' && text.trim() !== '') return { text };
  throw new Problem(422, 'Send the form field url, an absolute http or https URL, or text, a document');
}

const draftQuestion = z.strictObject({
  document: httpUrl.optional(),
  before: z.string().max(1_000_000).optional(),
  put: z.record(z.string(), z.unknown()).optional(),
  remove: z.string().max(2048).optional(),
});
const QUESTION =
  '{"document"?: URL, "before"?: its Turtle now, "put"?: one description as for POST /component, "remove"?: uri of a component}';

/** What a document would be after an edit, and what is wrong with the description. */
function makeDraft({ catalog, pool, clock }: PublishParts): Handler {
  const within = bounded(clock, 'draft');
  return async ({ req }) => {
    const read = draftQuestion.safeParse(await readJsonBody(req, BODY.draft));
    if (!read.success) throw new Problem(422, `The body must be ${QUESTION}`);
    const { baseUrl, vocabulary } = (await catalog.state()).naming;
    const { document = baseUrl, before: text = '', put, remove } = read.data;
    const before = { text, mediaType: 'text/turtle', baseIri: document, namespace: vocabulary.namespace };
    const asked = { before, baseUrl, put, remove };
    return jsonAnswer(await within(() => draft(asked, pool, req.raw.signal)));
  };
}

function draft(asked: DraftQuestion, pool: TaskPool, signal: AbortSignal): Promise<Draft> {
  const size = asked.before.text.length + JSON.stringify(asked.put ?? {}).length;
  return pool.run(draftTask, asked, { lane: 'lint', size, signal });
}
