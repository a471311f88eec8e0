import { createHash } from 'node:crypto';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import type { ElementInvocation } from '../../src/component/capability.js';
import type { Showable, ShowOptions } from '../../src/host/show-component.js';
import { offerModule, strangerSite } from '../support/browser/browser-host.js';
import { hurried, visitHostPage } from '../support/browser/browser-host-app.js';
import type { FakeServer } from '../support/fake-server.js';
import { componentFile } from '../support/sample-components.js';
import { type InProcessNode, startInProcess } from './adapters/in-process-node.js';

const FOAF = 'http://xmlns.com/foaf/0.1/';
const TURTLE = { 'content-type': 'text/turtle', 'access-control-allow-origin': '*' };

let node: InProcessNode;
/** The site of the host application, and one with data, shapes and modules. */
let site: FakeServer;
let elsewhere: FakeServer;

beforeAll(async () => {
  node = await startInProcess();
  [site, elsewhere] = [await strangerSite(), await strangerSite()];
  site.on('GET /ann', {
    headers: TURTLE,
    body: `<> <${FOAF}primaryTopic> <#me>. <#me> a <${FOAF}Person>; <${FOAF}name> "Ann".`,
  });
  elsewhere.on('/shapes', { headers: TURTLE, body: '<#Person> <urn:of> [ <urn:is> "a shape" ].' });
});

const hostPage = () => visitHostPage(site, node.url);

/** A component that is put to work by its element. */
async function described(
  file: string,
  invocation: Partial<ElementInvocation> & Pick<ElementInvocation, 'element'>,
  more: object = {},
): Promise<Showable> {
  const uri = await offerModule(elsewhere, `elements/${file}`);
  const known = { type: 'ElementInvocation', mapping: [{ variable: 'rdf', property: 'data' }] } as const;
  const capability = [{ invocation: [{ ...known, ...invocation }], ...more }];
  return { uri, label: file, tag: [], capability };
}

/** Shows a component in a place of its own; what went wrong is in the answer. */
const show = (page: Page, component: Showable, entry = '/ann', options: Omit<ShowOptions, 'into'> = {}) =>
  page.evaluate(
    async ([component, entry, options]) => {
      const into = document.createElement('section');
      document.querySelector('main')?.append(into);
      try {
        const { element } = await window.host.showComponent(component, entry, { into, ...options });
        return element.localName;
      } catch (error) {
        const { reason, message } = error as { reason: string; message: string };
        return `${reason}: ${message}`;
      }
    },
    [component, entry, options] as const,
  );

describe('an element invocation', () => {
  test('gives the element of a module what its metadata says, and nothing else', async () => {
    const { page, complaints } = await hostPage();
    const mapping = [
      { variable: 'rdf', property: 'data' },
      { variable: 'about', property: 'subject' },
      { variable: 'shapes', property: 'shapes' },
      { variable: 'data-shape', property: 'shapeSubject' },
      { variable: 'data-of-others', property: 'https://others.example/data' },
    ];
    const shape = [elsewhere.url('/shapes#Person')];
    const component = await described(
      'note-view.js',
      { element: 'note-view', mapping, fixed: { lang: 'en' } },
      { shape },
    );
    expect(await show(page, component)).toBe('note-view');
    await page.getByText(`"Ann" .`).waitFor();
    const shown = page.locator('note-view');
    for (const part of ['#me', '"a shape"', elsewhere.url('/shapes#Person')]) {
      await expect.poll(() => shown.locator('p').textContent()).toContain(part);
    }
    expect(await shown.evaluate((one) => one.getAttributeNames())).toEqual([
      'lang',
      'rdf',
      'shapes',
      'data-shape',
    ]);
    const [request] = elsewhere.requests.filter(({ url }) => url === '/shapes');
    expect([request?.headers.cookie, request?.headers.referer]).toEqual([undefined, undefined]);
    expect(complaints).toEqual([]);
  });

  test('reads private data with the fetch of the page, and only that', async () => {
    const { page } = await hostPage();
    elsewhere.on('/private', ({ headers }) =>
      headers.authorization === 'DPoP secret'
        ? { headers: TURTLE, body: '<> <urn:says> "private words".' }
        : {
            status: headers.authorization ? 403 : 401,
            headers: { ...TURTLE, 'access-control-allow-headers': '*' },
          },
    );
    elsewhere.on('OPTIONS /private', {
      headers: { 'access-control-allow-origin': '*', 'access-control-allow-headers': '*' },
    });
    const component = await described('note-view.js', { element: 'note-view' });
    const showPrivate = (component: Showable) =>
      page.evaluate(
        async ([component, entry]) => {
          const fetch = (url: string, init?: RequestInit) =>
            window.fetch(url, { ...init, headers: { ...init?.headers, authorization: 'DPoP secret' } });
          const into = document.querySelector('main') ?? document.body;
          await window.host.showComponent(component, entry, { into, fetch });
        },
        [component, elsewhere.url('/private')] as const,
      );
    await showPrivate(component);
    await page.getByText('private words').waitFor();
    const mapping = [{ variable: 'src', property: 'ac:open' }];
    await showPrivate(await described('url-view.js', { element: 'url-view', mapping }));
    await page.getByText('answered with 401').waitFor();
  });

  test.each([
    [
      'never appears',
      'no-element.js',
      'never-there',
      /^module: .* has not defined the element never-there within 5 s$/,
    ],
    [
      'shows nothing',
      'elements/blank-view.js',
      'blank-view',
      /^module: .*blank-view\.js shows nothing after 5 s$/,
    ],
  ])('that %s is an error, and leaves the place as it was', async (_what, file, element, message) => {
    const { page } = await hostPage();
    const uri = await offerModule(elsewhere, file === 'no-element.js' ? `hostile/${file}` : file);
    const component = { ...(await described('note-view.js', { element })), uri };
    expect(await hurried(page, () => show(page, component))).toMatch(message);
    expect(await page.locator('section > *').count()).toBe(0);
  });

  test.each([
    ['{"onclick": "x"}', { fixed: { onclick: 'window.bad = 1' } }],
    ['data as a script', { mapping: [{ variable: 'onfocus', property: 'data' }] }],
  ])('sets no attribute that holds a script: %s', async (_what, invocation) => {
    const { page } = await hostPage();
    const component = await described('note-view.js', { element: 'note-view', ...invocation });
    expect(await show(page, component)).toMatch(/^module: .* the attribute on\w+ would hold a script/);
  });

  test('never sets what every element has: data does not become HTML', async () => {
    const { page } = await hostPage();
    site.on('GET /evil', { headers: TURTLE, body: `<> <urn:x> "<img src=x onerror='window.bad = 1'>".` });
    const mapping = [
      { variable: 'innerHTML', property: 'data' },
      { variable: 'rdf', property: 'data' },
    ];
    await show(page, await described('note-view.js', { element: 'note-view', mapping }), '/evil');
    await page.getByText('onerror').first().waitFor();
    expect(await page.locator('img').count()).toBe(0);
    expect(await page.evaluate(() => 'bad' in window)).toBe(false);
  });
});

describe('two modules that define one element', () => {
  const note = () => described('note-view.js', { element: 'note-view' });
  const other = () => described('other-note-view.js', { element: 'note-view' });

  test('the second runs in a frame without the origin of the page', async () => {
    const { page, complaints } = await hostPage();
    const [first, second] = [await note(), await other()];
    expect([await show(page, first), await show(page, second)]).toEqual(['note-view', 'iframe']);
    const frame = page.frameLocator('iframe');
    await frame.getByText(/The other one, with no page: .*"Ann"/s).waitFor();
    // And again, in this order or the other.
    expect(await show(page, first)).toBe('note-view');
    expect(await show(page, second)).toBe('iframe');
    const { height } = (await page.locator('iframe').first().boundingBox()) ?? { height: 0 };
    expect(height).toBeLessThan(200);
    expect(complaints).toEqual([]);
  });

  test('bytes are checked in the frame, too', async () => {
    const { page } = await hostPage();
    await show(page, await note());
    const integrity = hash('other bytes');
    expect(await show(page, { ...(await other()), integrity })).toMatch(
      /^integrity: .*, in a frame: .*promised was/,
    );
    const right = hash(await componentFile('elements/other-note-view.js'));
    expect(await show(page, { ...(await other()), integrity: right })).toBe('iframe');
    await page.frameLocator('iframe').getByText('The other one').waitFor();
  });
});

const hash = (text: string) => `sha384-${createHash('sha384').update(text).digest('base64')}`;
