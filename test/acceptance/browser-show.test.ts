import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { visit } from '../support/browser/browser.js';
import { offerModule, page as putPage, strangerSite } from '../support/browser/browser-host.js';
import { visitHostPage } from '../support/browser/browser-host-app.js';
import { documentAt } from '../support/docs.js';
import type { FakeServer } from '../support/fake-server.js';
import { postJson } from '../support/node/post-json.js';
import { type InProcessNode, startInProcess } from './adapters/in-process-node.js';

const FOAF = 'http://xmlns.com/foaf/0.1/';

let node: InProcessNode;
/** The site of the host application, and one with data and components. */
let site: FakeServer;
let data: FakeServer;

beforeAll(async () => {
  node = await startInProcess({ config: { write: 'open' } });
  [site, data] = [await strangerSite(), await strangerSite()];
  offer('alice', `a <${FOAF}Person>; <${FOAF}name> "Alice Ardent"`);
  offer('unknown', 'a <urn:Unknown>');
  data.on('GET /nothing', { status: 404, headers: { 'access-control-allow-origin': '*' } });
  for (const shape of ['broken', 'mended', 'plain', 'burst']) {
    offer(shape, `a <urn:${shape}>; <${FOAF}name> "${shape} data"`);
  }
  await publish('profile-card.js', `${FOAF}Person`);
  await publish('plain-events-card.js', 'urn:plain');
  // Two that fail before one that does not, because the newest come first; and some that all fail.
  await publish('plain-events-card.js?v=2', 'urn:mended', { label: 'C' });
  await publish('hostile/bursts.js', 'urn:mended', { label: 'B' });
  await publish('hostile/no-element.js', 'urn:mended', { label: 'A' });
  await publish('hostile/throws.js', 'urn:broken');
  await publish('hostile/syntax.js', 'urn:broken');
});

function offer(name: string, statements: string): void {
  // Served to simple requests alone: reading must need no preflight.
  const headers = { 'content-type': 'text/turtle', 'access-control-allow-origin': '*' };
  data.on(`GET /${name}`, { headers, body: `<> ${statements}.` });
}

/** Serves a module, and tells the node of it. */
async function publish(file: string, shape: string, more: object = {}): Promise<void> {
  const [path = '', search] = file.split('?');
  const module = await offerModule(data, path);
  const uri = search === undefined ? module : `${module}?${search}`;
  const component = { uri, label: file, tag: ['x'], shapes: [shape], ...more };
  const answer = await fetch(`${node.url}/component`, postJson(component));
  expect(answer.status).toBe(201);
}

describe('the page of README.md', () => {
  const [, html = ''] = /<!-- host page -->\n```html\n([\s\S]*?)```/.exec(documentAt('README.md')) ?? [];

  async function open(resource: string) {
    const url = putPage(site, '/readme', html.replaceAll('http://localhost:3000', node.url));
    return visit(`${url}?data=${encodeURIComponent(resource)}`);
  }

  test('has a script of five lines', () => {
    const [, script = ''] = /<script type="module">\n([\s\S]*?)<\/script>/.exec(html) ?? [];
    expect(script.trim().split('\n')).toHaveLength(5);
  });

  test.each([
    ['alice', 'Alice Ardent'],
    ['plain', 'plain data'],
  ])('shows data: %s', async (resource, name) => {
    const { page, complaints } = await open(data.url(`/${resource}`));
    await page.getByText(name).waitFor();
    expect(complaints).toEqual([]);
  });

  test.each([
    [
      'nothing is there',
      () => data.url('/nothing'),
      'There is nothing at this address.',
      /GET .*\/nothing was answered with 404/,
    ],
    [
      'no component can be loaded',
      () => data.url('/broken'),
      'The program that shows this does not work.',
      /can be loaded \(tried 2 of 2\): .*no luck today/,
    ],
    [
      'nothing is named',
      () => '',
      'This does not work here. The developers of the page can find out why.',
      /is no http or https URL/,
    ],
  ])(
    'says in a sentence why it fails, and in full on the console: %s',
    async (_what, resource, words, details) => {
      const { page, complaints } = await open(resource());
      await page.getByText(words).waitFor();
      expect(await page.locator('main').textContent()).toBe(words);
      await expect.poll(() => complaints).toContainEqual(expect.stringMatching(details));
    },
  );
});

test('the parts that docs/web-developers.md shows do the same by hand', async () => {
  const [, code = ''] =
    /<!-- by hand -->\n```js\n([\s\S]*?)```/.exec(documentAt('docs/web-developers.md')) ?? [];
  const names = 'RegistryClient, loadComponent, serveData, solidData';
  const script = `import { ${names} } from 'http://localhost:3000/host.js'; const data = '${data.url('/plain')}'; ${code}`;
  const html = `<!doctype html><title>x</title><main></main><script type="module">${script}</script>`;
  const url = putPage(site, '/by-hand', html.replaceAll('http://localhost:3000', node.url));
  const { page, complaints } = await visit(url);
  await page.getByText('plain data').waitFor();
  expect(complaints).toEqual([]);
});

test('the page of twenty lines in docs/web-developers.md answers all four events without the library', async () => {
  const [, code = ''] =
    /<!-- twenty lines -->\n```js\n([\s\S]*?)```/.exec(documentAt('docs/web-developers.md')) ?? [];
  expect(code.trim().split('\n')).toHaveLength(20);
  const headers = { 'content-type': 'text/javascript', 'access-control-allow-origin': '*' };
  const asking = `export default class extends HTMLElement {
  async connectedCallback() {
    const said = [];
    for (const [action, type] of [['read', 'text'], ['write', 'text'], ['append', 'text'], ['read', 'quads']]) {
      const event = new CustomEvent('component-data-' + action, {
        detail: { uri: this.getAttribute('entry'), type, ...(action === 'read' ? {} : { data: 'new' }) },
        bubbles: true, composed: true,
      });
      const answered = new Promise((resolve) => this.addEventListener('component-data-response',
        ({ detail }) => detail.cause === event && resolve(detail)));
      this.dispatchEvent(event);
      const { success, data } = await answered;
      said.push(success + ':' + data);
    }
    this.textContent = said.join(' ');
  }
}`;
  data.on('/asking.js', { headers, body: asking });
  const open = { 'content-type': 'text/plain', 'access-control-allow-origin': '*' };
  data.on('GET /words', { headers: open, body: 'old' });
  data.on('OPTIONS /words', { headers: { ...open, 'access-control-allow-methods': 'PUT' } });
  data.on('PUT /words', { headers: open });
  const described = { uri: data.url('/asking.js'), label: 'Asking', shapes: ['urn:twenty'] };
  const form = { uri: 'https://a.example/form.js', label: 'A form', shapes: ['urn:twenty'] };
  const invocation = [{ type: 'ElementInvocation', element: 'a-form', mapping: [] }];
  const both = [described, { ...form, capability: [{ invocation }] }];
  const posted = await fetch(`${node.url}/component`, postJson(both));
  expect(posted.status).toBe(201);
  const script = `const data = '${data.url('/words')}'; ${code}`.replace('foaf:Person', 'urn:twenty');
  const html = `<!doctype html><title>x</title><body><script type="module">${script}</script>`;
  const url = putPage(site, '/twenty', html.replaceAll('http://localhost:3000', node.url));
  const { page, complaints } = await visit(url);
  await page.getByText('true:old true:new false:undefined false:undefined').waitFor();
  expect(complaints).toEqual([]);
});

describe('showResource', () => {
  const show = (page: Page, name: string) =>
    page.evaluate(
      async ([resource, registry]) => {
        const into = document.querySelector('main') ?? document.body;
        const shown = await window.host.showResource(resource, { registry: [registry], into });
        Object.assign(window, { shown });
        return shown?.component.uri;
      },
      [data.url(`/${name}`), node.url] as const,
    );

  test('takes the next best component when one cannot be loaded or created, and says so', async () => {
    const { page, complaints } = await visitHostPage(site, node.url);
    expect(await show(page, 'mended')).toBe(data.url('/plain-events-card.js?v=2'));
    await page.getByText('mended data').waitFor();
    await expect
      .poll(() => complaints)
      .toEqual([
        expect.stringMatching(/^A cannot be shown: .*exports no HTMLElement class/),
        expect.stringContaining('burst at once'),
        expect.stringMatching(/^B cannot be shown: .*throws when it is created/),
      ]);
  });

  test('shows what was asked for last, whichever is ready first, and can be ended', async () => {
    const { page } = await visitHostPage(site, node.url);
    data.on('GET /slow', {
      headers: { 'content-type': 'text/turtle', 'access-control-allow-origin': '*' },
      body: `<> a <${FOAF}Person>; <${FOAF}name> "Slow".`,
      delayMs: 300,
    });
    await Promise.all([show(page, 'slow'), show(page, 'alice')]);
    await page.getByRole('heading', { name: 'Alice Ardent' }).waitFor();
    expect(await page.locator('main > *').count()).toBe(1);
    await show(page, 'plain');
    await page.getByText('plain data').waitFor();
    expect(await page.locator('main > *').count()).toBe(1);
    await page.evaluate(() => (window as unknown as { shown: { stop(): void } }).shown.stop());
    expect(await page.locator('main > *').count()).toBe(0);
  });
});
