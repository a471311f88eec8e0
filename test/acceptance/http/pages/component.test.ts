import { beforeEach, describe, expect, test } from 'vitest';
import type { Metadata } from '../../../../src/component/metadata.js';
import type { Source } from '../../../../src/component/source.js';
import { browse, words } from '../../../support/explorer-pages.js';
import { BASE, component, createTestApp, type TestApp } from '../../adapters/registry-app.js';

const URI = 'https://c.example/a.js';
const NAMED: Source = { kind: 'pod', url: 'https://named.example/' };
const STRANGER: Source = { kind: 'pod', url: 'https://stranger.example/' };

let app: TestApp;
beforeEach(async () => {
  app = await createTestApp({}, {}, { order: { pods: [NAMED.url], peers: [] } });
});

const get = (path: string, headers?: Record<string, string>) => browse(app, path, headers);
const componentPath = (uri: string) => `/c/${encodeURIComponent(uri)}`;
const publish = (...components: Metadata[]) => app.registry.upsertLocal(components);
const card = (version: string, more: Partial<Metadata> = {}) =>
  component(version === '1.0.0' ? URI : `https://c.example/${version}.js`, {
    label: 'Card',
    version,
    ...more,
  });
const page = async (path = componentPath(URI)) =>
  (await (await get(path)).text()).replaceAll('&#39;', "'").replaceAll('&quot;', '"').replaceAll('&lt;', '<');
/** What stands under a heading. */
const section = (html: string, id: string) =>
  html.match(new RegExp(`<h2 id="${id}">(.*?)</section>`, 's'))?.[1] ?? '';

describe('versions', () => {
  test('are those of the same source, the newest first, however many others have the name', async () => {
    const others = Array.from({ length: 1100 }, (_, i) =>
      component(`https://a.example/${i}.js`, { label: 'Card', version: `9.9.${i}` }),
    );
    await app.say(STRANGER, others);
    await publish(
      ...[card('1.0.0'), card('1.10.0'), card('1.9.0'), card('4.0.0', { label: 'Other' })],
      component('https://d.example/c.js', { label: 'Card', version: '9.9.9', latest: true }),
    );
    const html = await page();
    expect(section(html, 'versions').match(/>\d+\.\d+\.\d+</g)).toEqual(['>1.10.0<', '>1.9.0<', '>1.0.0<']);
    expect(section(html, 'namesakes').match(/Card 9\.\d+\.\d+/g)).toEqual(['Card 9.9.1099']);
  });
});

describe('a component with data', () => {
  const withData = (entry: string) => `${componentPath(URI)}?${new URLSearchParams({ entry })}`;
  const frame = (entry: string, uri = URI) => `/frame?${new URLSearchParams({ uri, entry })}`;
  const policyOf = async (entry: string) =>
    (await get(frame(entry))).headers.get('content-security-policy') ?? '';
  beforeEach(() => publish(component(URI)));

  test('is in a frame without an origin, which reaches two servers and no more, and says so', async () => {
    const html = await page(withData('https://pod.example/x'));
    expect(html).toContain('data-frame="/frame?uri=');
    expect(html).toContain('it may read and not write; what it sends to those servers by itself');
    const policy = await policyOf('https://pod.example:8443/x');
    expect(policy).toMatch(
      /^sandbox allow-scripts allow-forms; default-src 'none'; script-src 'self' blob: https:\/\/c\.example;/,
    );
    expect(policy).toContain('; connect-src https://c.example https://pod.example:8443;');
    expect(policy).not.toMatch(/allow-same-origin|allow-top-navigation|allow-popups/);
  });

  test.each([`http://*/`, `http://a;script-src/`, `http://a'unsafe-inline'/`])(
    'lets no host name write its policy: %s',
    async (entry) => {
      const policy = await policyOf(entry);
      expect(policy).toContain('connect-src https://c.example https://refused.invalid;');
      expect(policy).not.toContain('*');
    },
  );

  test('reaches the shapes and the modules that its capabilities name, and is told of them', async () => {
    const module = [{ uri: 'https://m.example/b.js' }];
    const invocation = [{ type: 'FragmentInvocation' as const, fragment: '<x-y>', module }];
    await publish(
      component(URI, { capability: [{ shape: ['https://s.example/p#P', 'urn:s'], invocation }] }),
    );
    const policy = await policyOf('https://pod.example/x');
    expect(policy).toContain("script-src 'self' blob: https://c.example https://m.example;");
    expect(policy).toContain(
      'connect-src https://c.example https://m.example https://pod.example https://s.example;',
    );
    expect(await page(frame('https://pod.example/x'))).toContain('"FragmentInvocation"');
  });

  test('links to applications, which are not run', async () => {
    const mapping = [{ variable: 'x', property: 'ac:open' }];
    const invocation = [{ type: 'ac:UriTemplateInvocation' as const, template: '#{x}', mapping }];
    const application = 'https://app.example/#i';
    await publish(component(application, { capability: [{ invocation }] }));
    const html = await page(`${componentPath(application)}?entry=https://pod.example/x`);
    expect(html).toContain('href="https://app.example/#https%3A%2F%2Fpod.example%2Fx"');
    expect(html).not.toContain('data-frame');
  });

  test('opens in a frame alone, as far as the browser says where it goes', async () => {
    const opened = async (headers: Record<string, string>) => {
      const answer = await get(frame('https://pod.example/x'), headers);
      return [answer.status, answer.headers.get('vary')];
    };
    for (const dest of ['document', 'empty', 'frame', 'object', 'embed'])
      expect(await opened({ 'sec-fetch-dest': dest }), dest).toEqual([403, 'Sec-Fetch-Dest']);
    expect(await opened({ 'sec-fetch-dest': 'iframe' })).toEqual([200, 'Sec-Fetch-Dest']);
    expect(await opened({})).toEqual([200, 'Sec-Fetch-Dest']);
  });

  test.each<[number, string]>([
    [404, frame('https://pod.example/x', 'https://evil.example/x.js')],
    [404, frame('')],
    [422, frame('javascript:alert(1)')],
    [422, withData('rubbish')],
    [422, withData('javascript:alert(1)')],
  ])('knows only what is known here, with data on the web: %i for %s', async (status, path) => {
    expect((await get(path)).status).toBe(status);
  });
});

describe('a component for which nobody here answers', () => {
  const SHAPE = 'http://s.example/Card';
  const uriOf = (name: string) => `https://c.example/${name}.js`;
  beforeEach(async () => {
    const described = (name: string, more = {}) =>
      component(uriOf(name), { label: 'Card', shapes: [SHAPE], version: '1.0.0', ...more });
    await app.say(NAMED, [described('named')]);
    await app.say(STRANGER, [described('learned'), described('newer', { version: '2.0.0', label: 'Other' })]);
    await publish(described('own', { label: 'Own' }));
  });

  test.each([
    ['the list of all', '/', 2],
    ['a search', '/?q=card', 2],
    ['those for data', `/data?url=https://d.example/&shapes=${encodeURIComponent(SHAPE)}`, 2],
    ['its page with data', `${componentPath(uriOf('learned'))}?entry=https://d.example/`, 1],
    ['the page of another one of its name', componentPath(uriOf('named')), 1],
    ['the page of what was posted', componentPath(uriOf('own')), 0],
  ])('is marked in %s', async (_where, path, count) => {
    expect((await page(path)).split('<span class="learned"').length - 1).toBe(count);
  });

  test.each([
    ['named', NAMED, true],
    ['learned', STRANGER, false],
  ])(
    'is shown in a frame by the line to embed it, whatever it promises itself: %s',
    async (name, source, isPinned) => {
      const integrity = `sha384-${'a'.repeat(64)}`;
      await app.say(source, [component(uriOf(name), { label: 'Card', integrity })]);
      const use = section(await page(componentPath(uriOf(name))), 'use');
      // A hash in the line would let the component run in the page.
      const pin = isPinned ? ` data-integrity="${integrity}"` : '';
      const line = `<script type="module" src="${BASE}/embed.js" data-entry="https://pod.example/your/data" data-component="${uriOf(name)}"${pin}>`;
      // The line is text in the page, and its own attributes are escaped once more.
      expect(use.replaceAll('&gt;', '>')).toContain(line);
      expect(use).toContain('shown where the line stands');
      expect(use.includes('in a sandboxed frame')).toBe(!isPinned);
    },
  );
});

describe('the health of a module', () => {
  const LOOKED_AT = Date.UTC(2026, 0, 1, 11);
  const [good, dead, changed, unseen] = ['good', 'dead', 'changed', 'new'].map((name) =>
    component(`https://c.example/${name}.js`, { version: '1.0.0', shapes: ['urn:x:Card'] }),
  ) as [Metadata, Metadata, Metadata, Metadata];
  beforeEach(async () => {
    await app.say(NAMED, [good, dead, changed, unseen]);
    const seen = { source: NAMED, document: NAMED.url, since: 1, checked: LOOKED_AT, size: 12_345 };
    const pin = ({ uri }: Metadata, last: string, more = {}) => ({
      ...{ uri, version: '1.0.0', first: 'sha384-a', last, ...seen, ...more },
    });
    const pins = [pin(good, 'sha384-a'), pin(changed, 'sha384-b', { changedAt: 2 })];
    await app.registry.setPins(pins);
    const failures = { error: 'the module answers 404', at: LOOKED_AT, failures: 1 };
    app.node.failingModules = [{ uri: dead.uri, ...failures }];
  });
  const read = async ({ uri }: Metadata) => words(await page(componentPath(uri)));

  test('stands on its page, above the fold where nothing can be shown with it', async () => {
    expect(await read(good)).toMatch(
      /module reachable, bytes as pinned ?, 12.3 kB, looked at 2026-01-01 11:00:00 UTC/,
    );
    expect(await read(dead)).toMatch(
      /The module of this component cannot be had: the module answers 404, .* Pages that use it show nothing.*Renders/,
    );
    expect(await read(changed)).toContain('The bytes of this module have changed');
    expect(await read(unseen)).toContain('module not looked at : when?');
  });

  test('moves the tag of that page, which no revision does', async () => {
    const tag = async () => (await get(componentPath(dead.uri))).headers.get('etag');
    const before = await tag();
    app.node.failingModules = [];
    expect(await tag()).not.toBe(before);
  });
});
