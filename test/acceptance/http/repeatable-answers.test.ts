import { beforeEach, describe, expect, it } from 'vitest';
import { postJson } from '../../support/node/post-json.js';
import { LOCAL } from '../../support/promised.js';
import { component, createTestApp, type TestApp, TOKEN } from '../adapters/registry-app.js';

const URI = 'https://c.example/a.js';
const ACCEPTED = ['application/json', 'text/turtle', 'application/n-quads', 'text/html', '*/*'];

describe('a route with repeatable answers', () => {
  let test: TestApp;

  beforeEach(async () => {
    test = await createTestApp({ write: 'operator', operatorToken: TOKEN });
    await test.say(LOCAL, [component(URI)]);
    // Answers are repeatable only when the second of the last change is over.
    test.node.now += 10_000;
  });

  it('says what they vary on: none fails for want of it, whatever is asked for', async () => {
    const paths = [...new Set(test.app.routes.map(({ path }) => path.replace('*', URI)))];
    expect(paths).toContain('/component');
    for (const path of paths) {
      for (const accept of ACCEPTED) {
        await test.app.request(path, { headers: { accept } });
        await test.app.request(path, postJson({}, { accept, authorization: `Bearer ${TOKEN}` }));
      }
    }
    expect(test.logged).toEqual([]);
  });
});
