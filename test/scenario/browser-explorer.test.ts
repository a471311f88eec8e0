import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { BrowserContextOptions, FrameLocator, Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { expectAccessible, picture, visit } from '../support/browser.js';
import { offerModule, strangerSite } from '../support/browser-host.js';
import { cleanup } from '../support/cleanup.js';
import { type NodeProcess, startNode } from '../support/node-process.js';
import { listedUris, OPERATOR_TOKEN, sync } from '../support/node-reader.js';
import { putSampleComponents, putSampleData } from '../support/sample-components.js';
import { fillPod } from '../support/sample-pod.js';
import { SharedPod } from '../support/shared-pod.js';

let pod: SharedPod;
let node: NodeProcess;
const podUrl = (path: string) => pod.url + path;

beforeAll(async () => {
  pod = await SharedPod.open('explorer');
  const put = (path: string, body: string, type: string) => pod.put(path, body, type);
  await fillPod(pod, 'explorer/components/');
  await putSampleComponents(put, 'explorer/components/samples/');
  await putSampleData(put, 'explorer/data/');
  await pod.makePublic('explorer/data/');
  node = await startNode({
    config: {
      pods: [{ url: podUrl('explorer/components/') }, { url: 'http://127.0.0.1:9/' }],
      peers: ['http://127.0.0.1:9/peer'],
      network: { allowPrivate: true },
      write: 'open',
      sync: { schedule: '0 0 1 1 *' },
    },
    env: { REGISTRY_OPERATOR_TOKEN: OPERATOR_TOKEN },
  });
  await sync(node);
  expect((await listedUris(node)).length).toBeGreaterThan(10);
});

const card = () => podUrl('explorer/components/samples/profile-card.js');
const componentPath = (uri: string) => `/c/${encodeURIComponent(uri)}`;
const tryPath = (uri: string, entry: string) => `/try?${new URLSearchParams({ uri, entry })}`;

describe('every page', () => {
  const wide = { viewport: { width: 1280, height: 900 } };
  const narrow = { viewport: { width: 375, height: 780 } };
  const looks: Record<string, BrowserContextOptions> = {
    'wide-light': { ...wide, colorScheme: 'light' },
    'narrow-dark': { ...narrow, colorScheme: 'dark' },
    // The other two differ in nothing that a rule could find: they are for people to look at.
    ...(process.env.SCREENSHOTS
      ? { 'wide-dark': { ...wide, colorScheme: 'dark' }, 'narrow-light': { ...narrow, colorScheme: 'light' } }
      : {}),
  };
  const pages = () => ({
    home: '/',
    results: '/?q=card&tag=people',
    nothing: '/?q=no+such+thing',
    component: componentPath(card()),
    missing: '/c/https%3A%2F%2Fnowhere.example%2Fx.js',
    network: '/network',
    try: tryPath(card(), podUrl('explorer/data/alice.ttl')),
    lint: '/lint',
  });

  test.each(Object.entries(looks))('%s is accessible, and its console is silent', async (name, options) => {
    const { page, complaints } = await visit('about:blank', options);
    for (const [what, path] of Object.entries(pages())) {
      const answer = await page.goto(node.url + path);
      await picture(page, `${what}-${name}`);
      await expectAccessible(page);
      // A browser counts the page that says so as an error.
      const expected = answer?.status() === 404 ? 1 : 0;
      expect([what, ...complaints.splice(0).slice(expected)]).toEqual([what]);
    }
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth)).toBe(true);
  });
});

describe('finding a component', () => {
  test('by typing, with the results following; the address can be shared', async () => {
    const { page, complaints } = await visit(node.url);
    await page.getByRole('searchbox').pressSequentially('FRIENDS prófile');
    await page.getByRole('heading', { name: '1 component found' }).waitFor();
    expect(await page.getByRole('status').first().textContent()).toBe('1 component found');
    expect(new URL(page.url()).searchParams.get('q')).toBe('FRIENDS prófile');
    await page.reload();
    await page.getByRole('link', { name: 'Profile card' }).click();
    await page.getByRole('heading', { level: 1, name: 'Profile card 2.0.0' }).waitFor();
    await page.getByRole('link', { name: '1.4.2' }).click();
    await page.getByRole('heading', { level: 1, name: 'Profile card 1.4.2' }).waitFor();
    expect(complaints).toEqual([]);
  });

  test('without JavaScript: by form, by facets, and page by page', async () => {
    const { page } = await visit(node.url, { javaScriptEnabled: false });
    await page.getByRole('searchbox').fill('profile');
    await page.getByRole('button', { name: 'Search' }).click();
    await page.getByRole('heading', { name: '4 components found' }).waitFor();
    await page.getByRole('complementary').getByRole('link', { name: 'people 1' }).click();
    await page.getByRole('heading', { name: '1 component found' }).waitFor();
    await page.getByRole('link', { name: 'people, remove' }).click();
    await page.getByRole('heading', { name: '4 components found' }).waitFor();
    await page.getByRole('link', { name: 'Network' }).click();
    await page
      .getByRole('row', { name: podUrl('explorer/components/') })
      .getByText('13 components')
      .waitFor();
    await page.getByText('Expected punctuation to follow').waitFor();
  });

  test('with the keyboard alone, to the component in its sandbox', async () => {
    const { page } = await visit(node.url);
    const press = async (key: string, times = 1) => {
      for (let i = 0; i < times; i++) await page.keyboard.press(key);
    };
    const focused = () => page.evaluate(() => document.activeElement?.textContent ?? '');
    await press('Tab');
    expect(await focused()).toBe('Skip to content');
    await press('Enter');
    await press('Tab');
    await page.keyboard.type('glance');
    await press('Enter');
    await page.getByRole('heading', { name: '1 component found' }).waitFor();
    await page.getByRole('main').focus();
    for (let i = 0; i < 20 && (await focused()) !== 'Profile card'; i++) await press('Tab');
    await press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Profile card' }).waitFor();
    await page.getByRole('main').focus();
    for (
      let i = 0;
      i < 20 &&
      !(await page.getByLabel('URL of your data').evaluate((one) => one === document.activeElement));
      i++
    ) {
      await press('Tab');
    }
    await page.keyboard.type(podUrl('explorer/data/alice.ttl'));
    await press('Enter');
    await page.frameLocator('iframe').getByRole('heading', { name: 'Alice Ardent' }).waitFor();
  });
});

/** Posts a component to the node. */
async function publish(component: object): Promise<void> {
  const response = await fetch(`${node.url}/component`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(component),
  });
  expect(response.status).toBe(201);
}

test('the network page follows the node', async () => {
  const { page, complaints } = await visit(`${node.url}/network`);
  const broken = page.getByRole('row', { name: 'http://127.0.0.1:9/ failing' });
  await broken.getByText(/^since/).waitFor();
  await pod.put(
    'explorer/components/late.ttl',
    '<late.js> <http://semcom.digita.ai/voc#label> "Late".',
    'text/turtle',
  );
  const row = page.getByRole('row', { name: podUrl('explorer/components/') });
  await row.getByText('13 components').waitFor();
  await sync(node);
  await row.getByText('14 components').waitFor();
  await page.getByText('Live.').waitFor();
  // Nothing was posted so far: what appears is a new row.
  expect(await page.getByRole('row', { name: 'this node' }).count()).toBe(0);
  await publish({ uri: 'https://c.example/posted.js', label: 'Posted' });
  await page
    .getByRole('row', { name: 'this node what was posted here ok' })
    .getByText('1 component')
    .waitFor();
  await expectAccessible(page);
  expect(complaints).toEqual([]);
});

/** The node behind an address where it never hears of `Sec-Fetch-Dest`, as from browsers that do not send it. */
async function withoutMetadata(): Promise<string> {
  const proxy = createServer(async ({ url }, answer) => {
    const { status, headers, body } = await request(node.url + url);
    answer.writeHead(status, headers).end(body);
  });
  cleanup(() => proxy.close());
  await once(proxy.listen(0, '127.0.0.1'), 'listening');
  return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
}

async function request(url: string) {
  const answer = await fetch(url, { headers: { 'accept-encoding': 'identity' } });
  return { status: answer.status, headers: Object.fromEntries(answer.headers), body: await answer.text() };
}

describe('trying a component', () => {
  /** Publishes a component of a stranger on the node, and opens it in the sandbox. */
  async function tryHostile(file: string) {
    const modules = await strangerSite();
    const uri = await offerModule(modules, file);
    await publish({ uri, label: file });
    return visit(node.url + tryPath(uri, podUrl('explorer/data/groceries.ttl')));
  }

  /** What the burglar reports, and what the node was asked for meanwhile. */
  async function burgle(enter: (page: Page) => Promise<FrameLocator | Page>) {
    const { page } = await tryHostile('hostile/burglar.js');
    const asked: string[] = [];
    page.on('response', (response) => asked.push(new URL(response.url()).pathname));
    const report = (await enter(page)).getByText('null origin');
    await report.waitFor();
    return { page, asked, doors: (await report.textContent())?.match(/\w+ (open|shut)/g) };
  }
  const SHUT = ['cookies', 'storage', 'database', 'popup', 'status', 'post'].map((door) => `${door} shut`);
  const FRAME = ['/explorer-frame.js', '/explorer.css', '/try/frame', '/hostile/burglar.js'];

  test('it finds no door out of the sandbox', async () => {
    const { page, asked, doors } = await burgle(async (page) => {
      await page.reload();
      return page.frameLocator('iframe');
    });
    expect(doors).toEqual(['parent shut', 'top shut', ...SHUT, 'beacon open', 'image shut']);
    // A beacon always seems to leave; this one has not.
    expect(asked.filter((path) => ![...FRAME, '/try', '/explorer.js'].includes(path))).toEqual([]);
    await page.getByRole('heading', { name: 'Try hostile/burglar.js' }).waitFor();
  });

  test('its frame cannot be opened as a page', async () => {
    const { page } = await tryHostile('hostile/burglar.js');
    const answer = await page.goto(node.url + (await page.locator('iframe').getAttribute('src')));
    expect(answer?.status()).toBe(403);
  });

  test('not even where the browser does not say that it opens a page', async () => {
    const { page } = await tryHostile('hostile/burglar.js');
    await page.goto((await withoutMetadata()) + (await page.locator('iframe').getAttribute('src')));
    await page.getByRole('alert').getByText('in the frame on the page /try only').waitFor();
    expect(await page.getByText('null origin').count()).toBe(0);
  });

  test('it may read and not write, and the visitor sees what it asks for', async () => {
    const uri = podUrl('explorer/components/samples/editable-list.js');
    const { page } = await visit(node.url + tryPath(uri, podUrl('explorer/data/groceries.ttl')));
    const frame = page.frameLocator('iframe');
    await frame.getByRole('textbox', { name: 'New item' }).fill('Cake');
    await frame.getByRole('button', { name: 'Add' }).click();
    await frame.getByText('The item could not be added.').waitFor();
    await frame.getByText(/^read .*groceries.ttl as quads: answered$/).waitFor();
    await frame
      .getByText(/^append .* as quads: refused: nothing is written while a component is tried$/)
      .waitFor();
  });

  test('a module that fails says so in the frame', async () => {
    const { page } = await tryHostile('hostile/throws.js');
    await page.frameLocator('iframe').getByRole('alert').getByText('no luck today').waitFor();
  });
});

test('an author has a document checked, and is told what to correct', async () => {
  const { page, complaints } = await visit(`${node.url}/lint`);
  await page
    .getByLabel('URL of the metadata document')
    .fill(podUrl('explorer/components/samples/profile-card.ttl'));
  await page.getByRole('button', { name: 'Check' }).click();
  await page.getByRole('heading', { name: 'Nothing stands in the way' }).waitFor();
  await page.getByText('it is served as text/javascript').waitFor();
  await picture(page, 'lint-good');
  await expectAccessible(page);
  await page
    .getByLabel('URL of the metadata document')
    .fill(podUrl('explorer/components/photo-gallery.jsonld'));
  await page.getByRole('button', { name: 'Check' }).click();
  await page.getByRole('heading', { name: '2 things to correct' }).waitFor();
  await picture(page, 'lint-bad');
  expect(complaints).toEqual([]);
});
