import { beforeEach, describe, expect, test } from 'vitest';
import { browse } from '../../../support/explorer-pages.js';
import { createTestApp, type TestApp } from '../../adapters/registry-app.js';

let app: TestApp;
beforeEach(async () => {
  app = await createTestApp();
});
const get = (path: string) => browse(app, path);

describe('/docs', () => {
  test.each([
    ['/docs', 'Component registry node'],
    ['/docs/', 'Component registry node'],
    ['/docs/operators', 'For operators'],
    ['/docs/operators.md', 'For operators'],
    ['/docs/CONTRIBUTING', 'Working on the node'],
  ])('%s is a page', async (path, title) => {
    const answer = await get(path);
    const heading = expect.stringMatching(new RegExp(`<h1[^>]*>${title}</h1>`));
    expect([answer.status, await answer.text()]).toEqual([200, heading]);
    // What it loads is looked at in browsers: test/acceptance/browser-pages.test.ts.
    expect(answer.headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self' data:;/,
    );
  });

  test.each([
    '/docs/nothing',
    '/docs/pictures/..%2f..%2fpackage.json',
    '/docs/%2e%2e%2fpackage.json',
    '/docs/pictures/',
    `/docs/${'docs/'.repeat(2000)}`,
  ])('%s is a page that says that there is none', async (path) => {
    const answer = await get(path);
    expect([answer.status, await answer.text()]).toEqual([404, expect.stringContaining('No such page')]);
  });
});
