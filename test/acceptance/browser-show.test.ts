import { beforeAll, describe, expect, test } from 'vitest';
import type { Capability } from '../../src/component/capability.js';
import { oneTab } from '../support/browser/browser.js';
import {
  load,
  offerData,
  offerModule,
  offerScript,
  open,
  page as putPage,
  showResource,
  strangerSite,
  TURTLE,
  visitHostPage,
} from '../support/browser/host-page.js';
import { documentAt } from '../support/docs.js';
import type { FakeServer } from '../support/fake-server.js';
import { metric, publish } from '../support/node/node-reader.js';
import { simple, specOnlyPeer } from '../support/peer/fake-peer.js';
import { type InProcessNode, startInProcess } from './adapters/in-process-node.js';

const FOAF = 'http://xmlns.com/foaf/0.1/';

let node: InProcessNode;
/** The site of the host application, and one with data and components. */
let site: FakeServer;
let data: FakeServer;

beforeAll(async () => {
  node = await startInProcess({ config: { write: 'open' } });
  [site, data] = [await strangerSite(), await strangerSite()];
  offerData(data, '/alice', `<> a <${FOAF}Person>; <${FOAF}name> "Alice Ardent".`);
  data.on('GET /nothing', open(TURTLE, '', { status: 404 }));
  for (const name of ['broken', 'mended', 'plain', 'note', 'task', 'other'])
    offerData(data, `/${name}`, `<> a <urn:${name}>; <${FOAF}name> "${name} data".`);
  const card = await offerModule(data, 'profile-card.js');
  const plain = await offerModule(data, 'plain-events-card.js');
  const hostile = (file: string) => offerModule(data, `hostile/${file}.js`);
  await publish(node, { uri: card, label: 'Card', shapes: [`${FOAF}Person`] });
  await publish(node, { uri: plain, label: 'Plain', shapes: ['urn:plain'] });
  // Two that fail before one that does not, because the newest come first; and some that all fail.
  await publish(node, { uri: `${plain}?v=2`, label: 'C', shapes: ['urn:mended'] });
  await publish(node, { uri: await hostile('bursts'), label: 'B', shapes: ['urn:mended'] });
  await publish(node, { uri: await hostile('no-element'), label: 'A', shapes: ['urn:mended'] });
  for (const file of ['throws', 'syntax'])
    await publish(node, { uri: await hostile(file), label: file, shapes: ['urn:broken'] });

  const opening = (template: string, ...resourceType: string[]): Capability => ({
    resourceType,
    invocation: [
      { type: 'ac:UriTemplateInvocation', template, mapping: [{ variable: 'it', property: 'ac:open' }] },
    ],
  });
  const view = (element: string, type: string, action = 'odrl:display'): Capability => ({
    ...{ action, resourceType: [type] },
    invocation: [{ type: 'ElementInvocation', element, mapping: [{ variable: 'rdf', property: 'data' }] }],
  });
  const notes = await offerModule(data, 'elements/note-view.js');
  const can = (uri: string, label: string, ...capability: Capability[]) =>
    publish(node, { uri, label, capability });
  await can('https://app.example/#i', 'App', opening('#open={it}', 'urn:note', 'urn:task'));
  await can('https://bad.example/', 'Bad', opening('javascript:alert({it})', 'urn:task', 'urn:other'));
  await can(notes, 'Notes', view('note-view', 'urn:note'));
  await can(`${notes}?editor`, 'Aaa editor', view('never-there', 'urn:note', 'odrl:modify'));
});

const inTab = oneTab();
const hostPage = () => visitHostPage(site, node.url, { go: inTab });

/** Opens a page that the documents show, on the site of somebody else, with this node in the place of theirs. */
const openShown = (path: string, html: string, query = '') =>
  inTab(putPage(site, path, html.replaceAll('http://localhost:3000', node.url)) + query);

describe('the page of README.md', () => {
  const [, html = ''] = /<!-- host page -->\n```html\n([\s\S]*?)```/.exec(documentAt('README.md')) ?? [];
  const openWith = (resource: string) => openShown('/readme', html, `?data=${encodeURIComponent(resource)}`);

  test.each([
    ['alice', 'Alice Ardent'],
    ['plain', 'plain data'],
  ])('has a script of five lines, which shows data: %s', async (resource, name) => {
    const [, script = ''] = /<script type="module">\n([\s\S]*?)<\/script>/.exec(html) ?? [];
    expect(script.trim().split('\n')).toHaveLength(5);
    const { page, complaints } = await openWith(data.url(`/${resource}`));
    await page.getByText(name).waitFor();
    expect(complaints).toEqual([]);
  });

  const NOTHING = 'There is nothing at this address.';
  const BROKEN = 'The program that shows this does not work.';
  const MISTAKE = 'This does not work here. The developers of the page can find out why.';
  test.each([
    ['nothing is there', '/nothing', NOTHING, /GET .*\/nothing was answered with 404/],
    ['no component can be loaded', '/broken', BROKEN, /can be loaded \(tried 2 of 2\): .*no luck today/],
    ['nothing is named', undefined, MISTAKE, /is no http or https URL/],
  ])('says in a sentence why it fails, and in full on the console: %s', async (_, path, words, details) => {
    const { page, complaints } = await openWith(path === undefined ? '' : data.url(path));
    await page.getByText(words).waitFor();
    expect(await page.locator('main').textContent()).toBe(words);
    await expect.poll(() => complaints).toContainEqual(expect.stringMatching(details));
  });
});

/** A script that docs/web-developers.md shows behind a mark. */
function scriptBehind(mark: string): string {
  const blocks = new RegExp(`<!-- ${mark} -->\\n\`\`\`js\\n([\\s\\S]*?)\`\`\``);
  return blocks.exec(documentAt('docs/web-developers.md'))?.[1] ?? '';
}

test('the parts that docs/web-developers.md shows do the same by hand', async () => {
  const names = 'RegistryClient, loadComponent, serveData, solidData';
  const script = `import { ${names} } from 'http://localhost:3000/host.js'; const data = '${data.url('/plain')}'; ${scriptBehind('by hand')}`;
  const html = `<!doctype html><title>x</title><main></main><script type="module">${script}</script>`;
  const { page, complaints } = await openShown('/by-hand', html);
  await page.getByText('plain data').waitFor();
  expect(complaints).toEqual([]);
});

test('the page of twenty lines in docs/web-developers.md answers all four events without the library', async () => {
  const code = scriptBehind('twenty lines');
  expect(code.trim().split('\n')).toHaveLength(20);
  const asking = offerScript(
    data,
    '/asking.js',
    `export default class extends HTMLElement {
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
}`,
  );
  data.on('/words', ({ method }) => {
    const headers = { 'access-control-allow-methods': 'PUT' };
    return open('text/plain', method === 'GET' ? 'old' : '', { headers });
  });
  const invocation = [{ type: 'ElementInvocation', element: 'a-form', mapping: [] }];
  const form = { uri: 'https://a.example/form.js', label: 'A form', capability: [{ invocation }] };
  for (const one of [{ uri: asking, label: 'Asking' }, form])
    await publish(node, { ...one, shapes: ['urn:twenty'] });
  const script = `const data = '${data.url('/words')}'; ${code}`.replace('foaf:Person', 'urn:twenty');
  const html = `<!doctype html><title>x</title><body><script type="module">${script}</script>`;
  const { page, complaints } = await openShown('/twenty', html);
  await page.getByText('true:old true:new false:undefined false:undefined').waitFor();
  expect(complaints).toEqual([]);
});

describe('showResource', () => {
  test('takes the next best component when one cannot be loaded or created, and says so', async () => {
    const { page, complaints } = await hostPage();
    const shown = await showResource(page, node.url, data.url('/mended'));
    expect(shown?.uri).toBe(data.url('/plain-events-card.js?v=2'));
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
    const { page } = await hostPage();
    const show = (name: string) => showResource(page, node.url, data.url(`/${name}`));
    const slow = `<> a <${FOAF}Person>; <${FOAF}name> "Slow".`;
    data.on('GET /slow', open(TURTLE, slow, { delayMs: 300 }));
    const shown = () => page.locator('main > *').count();
    await Promise.all([show('slow'), show('alice')]);
    await page.getByRole('heading', { name: 'Alice Ardent' }).waitFor();
    expect(await shown()).toBe(1);
    await show('plain');
    await page.getByText('plain data').waitFor();
    expect(await shown()).toBe(1);
    await page.evaluate(() => (window as unknown as { shown: { stop(): void } }).shown.stop());
    expect(await shown()).toBe(0);
  });

  test('takes the best component for displaying, and says what else opens the resource', async () => {
    const { page, complaints } = await hostPage();
    const url = `https://app.example/#open=${encodeURIComponent(data.url('/note'))}`;
    expect(await showResource(page, node.url, data.url('/note'))).toEqual({
      ...{ uri: data.url('/elements/note-view.js'), is: 'note-view' },
      openWith: [{ label: 'App', url }],
    });
    await page.getByText('note data').waitFor();
    expect(complaints).toEqual([]);
  });

  test('finds the component of a node of another make, which ignores every constraint', async () => {
    const card = { ...simple('card'), uri: data.url('/profile-card.js'), shapes: [`${FOAF}Person`] };
    // An answer without a filter begins with what is not looked for.
    const other = await specOnlyPeer({ ...simple('list'), shapes: ['https://schema.org/ItemList'] }, card);
    const { page, complaints } = await hostPage();
    await showResource(page, other.url, data.url('/alice'));
    await page.getByRole('heading', { name: 'Alice Ardent' }).waitFor();
    // It cannot say what fits, so that the library asks for what knows the shapes.
    expect(complaints).toEqual([expect.stringContaining('404')]);
  });

  test('shows links where nothing runs in a page, never one that is no address, and imports nothing behind them', async () => {
    const { page, complaints } = await hostPage();
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    const task = await showResource(page, node.url, data.url('/task'));
    expect(task).toMatchObject({ is: 'nav', openWith: [{ label: 'App' }] });
    const link = page.getByRole('navigation', { name: 'Open with' }).getByRole('link');
    expect(await link.allTextContents()).toEqual(['Open with App']);
    expect(await link.getAttribute('rel')).toBe('noopener noreferrer');
    expect(await showResource(page, node.url, data.url('/other'))).toBeUndefined();
    const [app] = await node.getJson<{ uri: string }[]>('/component?q=App');
    expect(await load(page, app ?? {})).toContain('https://app.example/#i is no module');
    expect(asked.filter((url) => url.startsWith('https://app.example/'))).toEqual([]);
    expect(asked).toContain(data.url('/task'));
    expect(complaints).toEqual([]);
  });
});

test('the browser reuses what a node answered to a query, as long as nothing has changed', async () => {
  const { page } = await hostPage();
  const found = () =>
    page.evaluate(async (url) => {
      const client = new window.host.RegistryClient({ nodes: [url] });
      return (await client.query({ shapes: 'urn:plain' })).map(({ label }) => label);
    }, node.url);
  const reused = async () => {
    const labels = '{route="/component",method="GET",status="304"}';
    return (await metric(node, `registry_http_request_duration_seconds_count${labels}`)) || 0;
  };
  expect(await found()).toEqual(['Plain']);
  const before = await reused();
  expect(await found()).toEqual(['Plain']);
  expect(await reused()).toBe(before + 1);
});
