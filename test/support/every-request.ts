export interface SentRequest {
  readonly method?: string;
  /** Path and query, sent as they are. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

/** The parts of an OpenAPI document that say how a route is asked. */
interface Operation {
  readonly parameters?: readonly { readonly name: string; readonly in: string }[];
  readonly requestBody?: unknown;
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, unknown>> }>>;
}
export interface ApiDescription {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

/** A request to one of a node's routes, and what it is called in a table. */
export interface AskedRoute extends SentRequest {
  readonly name: string;
}

/** What stands for parameters in paths and queries, by name; bodies by method and path. */
export interface Questions {
  readonly parameters: Readonly<Record<string, string>>;
  readonly bodies: Readonly<Record<string, readonly Body[]>>;
}

export interface Body {
  readonly name: string;
  readonly type: string;
  readonly text: string;
}

const METHODS = ['get', 'post', 'put', 'delete'];

/**
 * A request for each representation of each route that the description names, one for each parameter that the questions know, and
 * one for each body that they have. A route that has been added is asked without being named here.
 * @throws Error for a route that takes a body, of which the questions know none
 */
export function everyRequest({ paths }: ApiDescription, questions: Questions): AskedRoute[] {
  return Object.entries(paths).flatMap(([path, operations]) =>
    METHODS.flatMap((method) => {
      const operation = operations[method];
      return operation ? requestsOf(method.toUpperCase(), path, operation, questions) : [];
    }),
  );
}

function requestsOf(
  method: string,
  path: string,
  { parameters = [], requestBody, responses }: Operation,
  { parameters: values, bodies }: Questions,
): AskedRoute[] {
  const route = `${method} ${path}`;
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name] ?? 'none'));
  const types = typesOf(responses);
  const plain = types.map((accept) => ({
    ...{ name: `${route} as ${accept}`, method, path: filled, headers: { accept } },
  }));
  const own = bodies[route];
  if (own)
    return own.map(({ name, type, text }) => ({
      ...{ name: `${route} ${name}`, method, path: filled, body: text },
      headers: { 'content-type': type, accept: types[0] ?? '*/*' },
    }));
  if (requestBody) throw new Error(`name a body for ${route}, so that its cost is known`);
  const asked = parameters.flatMap(({ in: where, name }) => {
    const value = where === 'query' ? values[name] : undefined;
    if (value === undefined) return [];
    const query = new URLSearchParams({ [name]: value });
    const headers = { accept: types[0] ?? '*/*' };
    return [{ name: `${route}?${name}=`, method, path: `${filled}?${query}`, headers }];
  });
  return [...plain, ...asked];
}

/** The media types of what answers with success; of streams of events there is no end. */
function typesOf(responses: Operation['responses']): string[] {
  const types = Object.entries(responses)
    .filter(([status]) => status.startsWith('2'))
    .flatMap(([, { content = {} }]) => Object.keys(content))
    .filter((type) => type !== 'text/event-stream');
  return types.length > 0 ? [...new Set(types)] : ['*/*'];
}
