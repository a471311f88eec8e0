/** What the node answers, and to whom. */
import { type Broken, breaks } from '../rule.js';

export const ANSWERING: Broken = {
  'test/http/entity-tags.test.ts': breaks<typeof import('../../../src/http/entity-tags.js')>(
    'http/entity-tags',
    {
      'two representations have one tag': ({ entityTags }) => ({
        entityTags: (version) => {
          const tag = entityTags(version);
          return (naming, revision) => tag(naming, revision, 'any');
        },
      }),
    },
  ),
  'test/lib/http/response/conditional.test.ts': breaks<
    typeof import('../../../src/lib/http/response/conditional.js')
  >('lib/http/response/conditional', {
    'If-Modified-Since is believed within the second of a change': ({ isNotModified }) => ({
      isNotModified: (conditions, { since, ...others }, now) =>
        isNotModified(conditions, { ...others, since: since - 1000 }, now),
    }),
  }),
  'test/acceptance/http/access/own-origin.test.ts': breaks<
    typeof import('../../../src/http/access/own-origin.js')
  >('http/access/own-origin', {
    'a website may write to an open node': () => ({ refuseOtherSites: () => undefined }),
  }),
  'test/acceptance/http/components/publish.test.ts': breaks<
    typeof import('../../../src/http/access/operator.js')
  >('http/access/operator', {
    'any token is the operator token': () => ({
      requireOperator: () => undefined,
      requireWriter: () => undefined,
      isOperator: () => true,
    }),
  }),
  'test/acceptance/lifecycle.test.ts answers 503 or nothing until it can answer in full': breaks<
    typeof import('../../../src/node/loading-app.js')
  >('node/loading-app', {
    'an empty list is answered while the node loads': ({ createLoadingApp }) => ({
      createLoadingApp: (parts) => {
        const app = createLoadingApp(parts);
        const answer = app.fetch;
        app.fetch = (request, ...more) =>
          new URL(request.url).pathname === '/component' ? Response.json([]) : answer(request, ...more);
        return app;
      },
    }),
  }),
  'test/http/feed/feed.test.ts': breaks<typeof import('../../../src/core/cursor.js')>('core/cursor', {
    'a cursor is compared by its position alone': () => ({
      sameCursor: (one, other) => one.position === other.position,
    }),
  }),
};
