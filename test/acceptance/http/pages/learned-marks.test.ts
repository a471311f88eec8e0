import { beforeEach, describe, expect, it } from 'vitest';
import type { Source } from '../../../../src/component/source.js';
import { browse } from '../../../support/explorer-pages.js';
import { BASE, component, createTestApp, type TestApp } from '../../adapters/registry-app.js';

const NAMED: Source = { kind: 'pod', url: 'https://named.example/' };
const LEARNED: Source = { kind: 'pod', url: 'https://stranger.example/' };
const SHAPE = 'http://s.example/Card';
const MARK = '<span class="learned"';
const uriOf = (name: string) => `https://c.example/${name}.js`;

let app: TestApp;
beforeEach(async () => {
  const order = { pods: [NAMED.url], peers: [] };
  app = await createTestApp({}, {}, { order });
  const described = (name: string, more = {}) =>
    component(uriOf(name), { label: 'Card', shapes: [SHAPE], version: '1.0.0', ...more });
  await app.say(NAMED, [described('named')]);
  await app.say(LEARNED, [described('learned'), described('newer', { version: '2.0.0', label: 'Other' })]);
  await app.registry.upsertLocal([described('own', { label: 'Own' })]);
});

const page = async (path: string) =>
  (await (await browse(app, path)).text()).replaceAll('&#39;', "'").replaceAll('&quot;', '"');
const componentPath = (name: string) => `/c/${encodeURIComponent(uriOf(name))}`;
const marks = (html: string) => html.split(MARK).length - 1;

describe('a component for which nobody here answers is marked', () => {
  it.each([
    ['the list of all', '/', 2],
    ['a search', '/?q=card', 2],
    [
      'those for the data of a visitor',
      `/data?url=https://d.example/&shapes=${encodeURIComponent(SHAPE)}`,
      2,
    ],
    ['its page with data', `${componentPath('learned')}?entry=https://d.example/`, 1],
    ['its page', componentPath('learned'), 1],
    ['the page of another one of its name', componentPath('named'), 1],
    ['the page of what was posted', componentPath('own'), 0],
  ])('in %s', async (_where, path, count) => {
    expect(marks(await page(path))).toBe(count);
  });
});

describe('the script to copy', () => {
  it.each([
    ['named', "described by 'https://named.example/', which the operator of node.example has named"],
    ['own', 'posted to node.example, whose operator answers for it'],
    ['learned', "described by 'https://stranger.example/', for which nobody at node.example answers"],
  ])('says who answers for it: %s', async (name, words) => {
    const html = await page(componentPath(name));
    expect(html).toContain(`// This component is ${words}.`);
    expect(html.split(words).length - 1).toBe(2);
  });

  it('of a component for which nobody answers runs nothing until its bytes are pinned', async () => {
    const html = await page(componentPath('learned'));
    expect(html).toContain("{ into, integrity: '…' }).catch");
    expect(html).toMatch(/runs nothing until/);
    expect(await page(componentPath('own'))).toContain('{ into }).catch');
    expect(html).toContain(`${BASE}/host.js`);
  });
});
