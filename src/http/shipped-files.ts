import { EXAMPLES_PATH, type Examples } from '../example-data.js';
import { taggedAnswer } from '../lib/http/cacheable.js';
import { ANY_ORIGIN } from '../lib/http/headers/cors.js';
import { Problem } from '../lib/http/problem.js';
import type { Handler } from '../lib/http/resource.js';
import { textTag } from '../lib/http/response/conditional.js';
import { INDEX, type SetName, SHIPPED_SETS, type ShippedSet } from '../shipped-set.js';
import type { OwnResource } from './own-resource.js';

/**
 * What comes with the software and browsers load: the files of the sets that this node lists, and example data. Pages of
 * others import the modules, and a sandboxed frame has an opaque origin, so that any origin may read all of it. `since`: when this
 * node began to serve it.
 */
export function shippedResources(
  sets: readonly ShippedSet[],
  examples: () => Promise<Examples>,
  since: number,
): OwnResource[] {
  const files = SHIPPED_SETS.map((name): OwnResource => {
    const set = sets.find((one) => one.name === name);
    return { path: `/${name}/*`, cors: ANY_ORIGIN, methods: { GET: getFile(name, set, since) } };
  });
  // Before the files, because its path is below that of the samples.
  return [
    { path: `${EXAMPLES_PATH}/*`, cors: ANY_ORIGIN, methods: { GET: getExample(examples, since) } },
    ...files,
  ];
}

/** `GET /demo/<path>`, `GET /starter/<path>`: a module, data, a shape, the licences of a module, or the index of the set. */
function getFile(name: SetName, set: ShippedSet | undefined, since: number): Handler {
  return async (c) => {
    if (!set) throw new Problem(404, `This node was started without --${name}`);
    const file = await set.file(c.req.path.slice(`/${name}/`.length));
    if (!file) throw new Problem(404, `There is no such file; /${name}/${INDEX} lists them`);
    const { text, mediaType } = file;
    return taggedAnswer(c, { etag: textTag(text), since, type: `${mediaType}; charset=utf-8`, text });
  };
}

/** `GET /demo/examples/<name>`: data that components are shown with. */
function getExample(examples: () => Promise<Examples>, since: number): Handler {
  return async (c) => {
    const text = (await examples()).documents.get(c.req.path.slice(EXAMPLES_PATH.length + 1));
    if (text === undefined) throw new Problem(404, 'There is no such example');
    return taggedAnswer(c, { etag: textTag(text), since, type: 'text/turtle', text });
  };
}
