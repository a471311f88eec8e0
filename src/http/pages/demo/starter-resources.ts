import type { Config } from '../../../config.js';
import { STARTER_PATH, type Starter } from '../../../demo/starter.js';
import { ANY_ORIGIN } from '../../../lib/http/headers/cors.js';
import { Problem } from '../../../lib/http/problem.js';
import type { Handler } from '../../../lib/http/resource.js';
import { isNotModified } from '../../../lib/http/response/conditional.js';
import { isWritable } from '../../access/operator.js';
import type { OwnResource } from '../../own-resource.js';
import { type PageParts, pageAnswer } from '../../page-answer.js';
import { postSet, type SetFormParts } from './set-form.js';
import { starterPage } from './starter-view.js';

export interface StarterResourcesParts extends PageParts, Pick<SetFormParts, 'audit'> {
  readonly starter: Starter;
  readonly config: SetFormParts['config'] & Pick<Config, 'mode'>;
}

/** The starter set: a page that says what is in it, its files, and a form that shows and removes it. */
export function starterResources({ starter, node, audit, config }: StarterResourcesParts): OwnResource[] {
  const form = { set: starter, field: 'starter', words: 'the starter set', path: STARTER_PATH };
  return [
    {
      path: STARTER_PATH,
      methods: {
        GET: async () => {
          const [isBuilt, files] = [await starter.isBuilt(), starter.shown?.files];
          return pageAnswer(starterPage({ node: node(), isBuilt, files }));
        },
        POST: isWritable(config) ? postSet({ ...form, audit, config }) : undefined,
      },
    },
    // Pages of others import the modules, and the sandboxed frame of /try has an opaque origin.
    { path: `${STARTER_PATH}/*`, cors: ANY_ORIGIN, methods: { GET: getFile(starter) } },
  ];
}

/** `GET /starter/<path>`: a module, a shape, or the licences of a module. */
function getFile(starter: Starter): Handler {
  return async ({ req }) => {
    const { shown } = starter;
    const path = req.path.slice(STARTER_PATH.length + 1);
    const file = shown?.files.get(path);
    if (!shown || !file) throw new Problem(404, `There is no such file; ${STARTER_PATH} lists them`);
    // A module must be the one whose hash the description promises, so browsers ask each time.
    const headers = { etag: `"${file.integrity}"`, 'cache-control': 'no-cache' };
    const conditions = { ifNoneMatch: req.header('if-none-match'), ifModifiedSince: undefined };
    if (isNotModified(conditions, { etag: headers.etag, since: 0 }, 0)) return { status: 304, headers };
    const type = `${file.mediaType}; charset=utf-8`;
    return { status: 200, headers: { ...headers, 'content-type': type }, body: await shown.read(path) };
  };
}
