/** What the node answers, and to whom. */
import { breaks, type Rule } from '../rule.js';

export const ANSWERING: readonly Rule[] = [
  breaks<typeof import('../../../src/http/entity-tags.js')>({
    name: 'two representations have one tag',
    module: 'http/entity-tags',
    broken: ({ entityTags }) => ({
      entityTags: (version) => {
        const tag = entityTags(version);
        return (naming, revision) => tag(naming, revision, 'any');
      },
    }),
    suite: 'test/http/entity-tags.test.ts',
  }),
  breaks<typeof import('../../../src/lib/http/response/conditional.js')>({
    name: 'If-Modified-Since is believed within the second of a change',
    module: 'lib/http/response/conditional',
    broken: ({ isNotModified }) => ({
      isNotModified: (conditions, { since, ...others }, now) =>
        isNotModified(conditions, { ...others, since: since - 1000 }, now),
    }),
    suite: 'test/lib/http/response/conditional.test.ts',
  }),
  breaks<typeof import('../../../src/http/access/own-origin.js')>({
    name: 'a website may write to an open node',
    module: 'http/access/own-origin',
    broken: () => ({ refuseOtherSites: () => undefined }),
    suite: 'test/acceptance/http/access/own-origin.test.ts',
  }),
  breaks<typeof import('../../../src/http/access/operator.js')>({
    name: 'any token is the operator token',
    module: 'http/access/operator',
    broken: () => ({
      requireOperator: () => undefined,
      requireWriter: () => undefined,
      isOperator: () => true,
    }),
    suite: 'test/acceptance/http/components/publish.test.ts',
  }),
  breaks<typeof import('../../../src/node/loading-app.js')>({
    name: 'an empty list is answered while the node loads',
    module: 'node/loading-app',
    broken: ({ createLoadingApp }) => ({
      createLoadingApp: (parts) => {
        const app = createLoadingApp(parts);
        const answer = app.fetch;
        app.fetch = (request, ...more) =>
          new URL(request.url).pathname === '/component' ? Response.json([]) : answer(request, ...more);
        return app;
      },
    }),
    suite: 'test/acceptance/lifecycle.test.ts',
    tests: 'answers 503 or nothing until it can answer in full',
  }),
  breaks<typeof import('../../../src/core/cursor.js')>({
    name: 'a cursor is compared by its position alone',
    module: 'core/cursor',
    broken: () => ({ sameCursor: (one, other) => one.position === other.position }),
    suite: 'test/http/feed/feed.test.ts',
  }),
];
