import { beforeEach, describe, expect, it } from 'vitest';
import { postJson } from '../../../support/node/post-json.js';
import { component, createTestApp, type TestApp } from '../../adapters/registry-app.js';

const ANN = { kind: 'pod', url: 'https://ann.example/components/' } as const;
const EVE = { kind: 'pod', url: 'https://eve.example/components/' } as const;

let test: TestApp;
const uri = (name: string, version: string) => `https://c.example/${name}@${version}.js`;
const version = (name: string, of: string, more = {}) =>
  component(uri(name, of), { label: name, version: of, ...more });
const urisOf = async (response: Response) =>
  ((await response.json()) as { uri: string }[]).map((one) => one.uri.slice('https://c.example/'.length, -3));
const query = async (body: object, path = '/component/query?newest=true') =>
  urisOf(await test.app.request(path, postJson(body)));

beforeEach(async () => {
  test = await createTestApp();
  await test.say(ANN, [
    ...['1.0.0', '1.10.0', '1.9.0', '2.0.0', '3.0.0-beta'].map((of) => version('card', of)),
    ...['0.1.0', '0.2.0'].map((of) => version('list', of, { tag: ['x'] })),
  ]);
});

describe('?newest=true', () => {
  it('gives of each component the newest version in the range', async () => {
    expect(await query({ version: '^1.0.0' })).toEqual(['card@1.10.0']);
    expect(await query({ version: '<2' })).toEqual(['card@1.10.0', 'list@0.2.0']);
    expect(await query({})).toEqual(['card@3.0.0-beta', 'list@0.2.0']);
    expect(await query({ version: '^9' })).toEqual([]);
  });

  it('is chosen among all that match, without it', async () => {
    expect(await query({ version: '^1.0.0' }, '/component/query')).toHaveLength(3);
    expect(await query({ version: '^1.0.0' }, '/component/query?newest=false')).toHaveLength(3);
  });

  it('is a parameter of GET, too, in every representation', async () => {
    expect(await urisOf(await test.app.request('/component?newest=true&version=1.x'))).toEqual([
      'card@1.10.0',
    ]);
    const turtle = await test.app.request('/component?newest=true&version=1.x', {
      headers: { accept: 'text/turtle' },
    });
    expect((await turtle.text()).match(/#component|:component/g)).toHaveLength(1);
  });

  it('is chosen before pages are made', async () => {
    const first = await test.app.request('/component?newest=true&limit=1');
    expect(await urisOf(first.clone())).toEqual(['card@3.0.0-beta']);
    const [, next = ''] = /<https:\/\/node.example([^>]*)>/.exec(first.headers.get('link') ?? '') ?? [];
    const second = await test.app.request(next);
    expect([await urisOf(second.clone()), second.headers.get('link')]).toEqual([['list@0.2.0'], null]);
  });

  it('lets nobody hide the components of somebody else behind a newer version', async () => {
    await test.say(EVE, [version('card', '99.0.0')]);
    expect(await query({ label: 'card' })).toEqual(['card@3.0.0-beta', 'card@99.0.0']);
  });

  it('gives all that share the newest version, and those without any', async () => {
    await test.say(EVE, [
      component('https://c.example/one.js', { label: 'plain' }),
      component('https://c.example/two.js', { label: 'plain' }),
    ]);
    expect(await query({ label: 'plain' })).toEqual(['one', 'two']);
  });
});
