import { beforeAll, describe, expect, it } from 'vitest';
import { postJson } from '../../support/node/post-json.js';
import { LOCAL } from '../../support/promised.js';
import { component, createTestApp, type TestApp } from '../adapters/registry-app.js';

const URI = 'https://c.example/a.js';
/** What a node may send again to whoever asks the same. */
const REPEATED: readonly (readonly [path: string, init: RequestInit])[] = [
  ['/component', {}],
  ['/component?tag=x&limit=1', {}],
  [`/c/${encodeURIComponent(URI)}`, {}],
  [`/c/${encodeURIComponent(URI)}?graphs=all`, {}],
  ['/component/query', postJson({ tag: 'x' })],
  ['/match', postJson({ shapes: ['urn:s'] })],
];
const ACCEPTED = ['application/json', 'text/turtle', 'application/n-quads', 'image/png', '*/*'];
/** Headers that are no part of what tells requests apart, as clients send them. */
const OTHERS = {
  ...{ origin: 'https://page.example', referer: 'https://page.example/x', cookie: 'a=b' },
  ...{ 'accept-language': 'nl', 'user-agent': 'x', range: 'bytes=0-1', prefer: 'return=minimal' },
  ...{ 'sec-fetch-site': 'cross-site', 'sec-fetch-dest': 'script', 'x-forwarded-host': 'h.example' },
};

describe('an answer that may be sent again', () => {
  let test: TestApp;

  beforeAll(async () => {
    test = await createTestApp();
    await test.say(LOCAL, [component(URI, { tag: ['x'], shapes: ['urn:s'] })]);
    // Answers are repeatable only when the second of the last change is over.
    test.node.now += 10_000;
  });

  it.each(REPEATED)('is the same whatever else is in the request: %s', async (path, init) => {
    const ask = async (headers: Record<string, string>) => {
      const all = { ...Object.fromEntries(new Headers(init.headers)), ...headers };
      const answer = await test.app.request(path, { ...init, headers: all });
      return [answer.status, Object.fromEntries(answer.headers), await answer.text()];
    };
    for (const accept of ACCEPTED) expect(await ask({ accept, ...OTHERS })).toEqual(await ask({ accept }));
    expect(test.logged).toEqual([]);
  });
});
