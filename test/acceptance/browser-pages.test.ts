import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { expectAccessible, expectGoodLooks, oneTab, visit } from '../support/browser/browser.js';
import { listedUris, publish, sync } from '../support/node/node-reader.js';
import type { Pod } from '../support/pod/pod.js';
import { fillPod } from '../support/pod/sample-pod.js';
import { sharedPod } from '../support/pod/shared-pod.js';
import { putSampleComponents, putSampleData } from '../support/sample-components.js';
import { inTorture } from '../support/torture.js';
import { type InProcessNode, startInProcess } from './adapters/in-process-node.js';

const inTab = oneTab();
/** A node that has read a pod with the sample metadata, with components that work and with data for them. */
let node: InProcessNode;
let pod: Pod;
let home: string;
/** The absolute URL of a path in the pod, below the container of these tests. */
const podUrl = (path: string) => `${pod.url}pages/${path}`;
beforeAll(async () => {
  pod = await sharedPod();
  await fillPod(pod, 'pages/components/');
  await putSampleComponents(pod.put, 'pages/components/samples/');
  await putSampleData(pod.put, 'pages/data/');
  await pod.makePublic('pages/data/');
  // Two of its sources never answer; and a node that knows the bytes of a module offers no button that reads them.
  node = await startInProcess({
    config: {
      pods: [{ url: podUrl('components/') }, { url: 'http://127.0.0.1:9/' }],
      ...{ peers: ['http://127.0.0.1:9/peer'], network: { allowPrivate: true }, write: 'open', pins: 'off' },
    },
  });
  await sync(node);
  expect((await listedUris(node)).length).toBeGreaterThan(10);
  home = node.url;
});

const FOAF = 'http://xmlns.com/foaf/0.1/';
const componentPath = (uri: string) => `/c/${encodeURIComponent(uri)}`;
const version = (number: string) => `https://components.example.org/profile-card/${number}/profile-card.js`;

/** Every page of a node, by a name. */
function pages(): Record<string, string> {
  const card = podUrl('components/samples/profile-card.js');
  const alice = podUrl('data/alice.ttl');
  return {
    home: '/',
    results: '/?q=card&tag=people',
    nothing: '/?q=no+such+thing',
    data: `/data?${new URLSearchParams({ url: alice, shapes: `${FOAF}Person` })}`,
    component: componentPath(card),
    versions: componentPath(version('2.0.0')),
    document: `/why?${new URLSearchParams({ document: podUrl('components/profile-card.ttl') })}`,
    unread: '/why?document=https://nowhere.example/x.ttl',
    why: `/why?${new URLSearchParams({ uri: card })}`,
    missing: '/c/https%3A%2F%2Fnowhere.example%2Fx.js',
    error: '/component?limit=many',
    network: '/network',
    try: `${componentPath(card)}?${new URLSearchParams({ entry: alice })}`,
    publish: '/publish',
  };
}

/** The narrowest screens that pages are made for. */
const NARROWEST = 320;

test('every page is accessible and not too wide, in light and dark, and its console is silent', async () => {
  const { page, complaints } = await inTab('about:blank');
  for (const [what, path] of Object.entries(pages())) {
    // The script of the page before may have asked once more on its way out.
    await page.goto('about:blank');
    complaints.splice(0);
    const answer = await page.goto(home + path);
    await expectGoodLooks(page, what);
    // A browser counts the page of an error as an error, each time that the script asks for it.
    const expected = (answer?.status() ?? 0) >= 400 ? 1 : 0;
    await expect.poll(() => complaints.length).toBeGreaterThanOrEqual(expected);
    // The page of data tries components, of which some have modules at names that nobody has.
    const said = complaints.splice(0).filter((text) => !text.includes('ERR_NAME_NOT_RESOLVED'));
    expect([what, ...[...new Set(said)].slice(expected)]).toEqual([what]);
  }
});

/** How wide a page is, in pixels. */
const widthOf = (page: Page) => page.evaluate(() => document.documentElement.scrollWidth);

test('no page is wider than 320 pixels, whatever authors write', async () => {
  const long = 'W'.repeat(900);
  const uri = (number: number) => `https://c.example/${long}/${number}.js?${long}`;
  const words = { label: long, description: long, tag: [long], author: [long, `https://${long}.example/`] };
  for (const number of [1, 2])
    await publish(node, {
      uri: uri(number),
      ...words,
      version: `${number}.0.0-${long}`,
      shapes: [`urn:x:${long}`],
    });
  const { page } = await inTab('about:blank');
  await page.setViewportSize({ width: NARROWEST, height: 780 });
  const withLongTexts = {
    home: '/',
    'long-home': `/?q=${'W'.repeat(190)}`,
    'long-author': `/?author=${long}`,
    'long-component': componentPath(uri(1)),
    'long-data': `/data?${new URLSearchParams({ url: `https://c.example/${long}`, shapes: `urn:x:${long}` })}`,
    'long-try': `${componentPath(uri(1))}?entry=https://c.example/${long}`,
    'long-document': `/why?document=https://c.example/${long}`,
    'long-missing': `/c/https%3A%2F%2F${long}`,
  };
  for (const [what, path] of Object.entries(withLongTexts)) {
    const answer = await page.goto(home + path);
    expect([what, answer?.status()]).not.toEqual([what, 414]);
    expect(await widthOf(page), what).toBeLessThanOrEqual(NARROWEST);
  }
});

/** All documents are made by the same template: in `npm test`, axe reads those that have all of its parts. */
const WITH_ALL_PARTS = ['/docs', '/docs/feed'];

test('the documentation fits on every page, is accessible, and loads nothing from elsewhere', async () => {
  const { page, complaints } = await inTab(`${home}/docs`);
  const asked: string[] = [];
  page.on('request', (request) => asked.push(new URL(request.url()).origin));
  const links = page.getByRole('navigation', { name: 'Documents' }).getByRole('link');
  const own = await links.evaluateAll((all) => all.map((link) => link.getAttribute('href') ?? ''));
  const paths = own.filter((href) => href.startsWith('/docs'));
  expect(paths.length).toBeGreaterThan(8);
  for (const path of paths) {
    await page.goto(home + path);
    if (inTorture || WITH_ALL_PARTS.includes(path))
      await expectGoodLooks(page, `docs${path.replace(/\W+/g, '-')}`);
    await page.setViewportSize({ width: NARROWEST, height: 780 });
    const missing = await page
      .locator('main img')
      .evaluateAll((all) => all.filter((one) => !(one as HTMLImageElement).naturalWidth).length);
    expect([path, (await widthOf(page)) <= NARROWEST, missing]).toEqual([path, true, 0]);
  }
  expect(new Set(asked)).toEqual(new Set([new URL(home).origin]));
  expect(complaints).toEqual([]);
});

const search = (page: Page) => page.getByRole('searchbox', { name: 'Find a component' });
const focused = (page: Page) => page.evaluate(() => document.activeElement?.textContent?.trim() ?? '');

describe('finding a component', () => {
  test('without JavaScript: by form, by facets; the documents and the network can be read so, too', async () => {
    const { page } = await visit(home, { javaScriptEnabled: false });
    await search(page).fill('profile');
    await page.getByRole('button', { name: 'Search' }).click();
    await page.getByRole('heading', { name: '4 components found' }).waitFor();
    await page.getByRole('complementary').getByRole('link', { name: 'people 1' }).click();
    await page.getByRole('heading', { name: '1 component found' }).waitFor();
    await page.getByRole('link', { name: 'people, remove' }).click();
    await page.getByRole('heading', { name: '4 components found' }).waitFor();
    await page.getByRole('link', { name: 'Docs' }).click();
    await page.getByRole('main').getByRole('link', { name: 'docs/operators.md' }).first().click();
    await page.getByRole('heading', { level: 1, name: 'For operators' }).waitFor();
    await page.goto(`${home}/network`);
    await page.getByRole('img', { name: 'The network, from the pods to this node' }).waitFor();
    expect(await page.locator('.legend').innerText()).toMatch(/some of it is not used\s+failing/);
  });

  test('with the keyboard alone, to the component in its sandbox', async () => {
    const { page } = await inTab(home);
    await page.keyboard.press('Tab');
    expect(await focused(page)).toBe('Skip to content');
    await page.getByRole('main').focus();
    await page.keyboard.press('Tab');
    expect(await search(page).evaluate((one) => one === document.activeElement)).toBe(true);
    await page.keyboard.type('glance');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: '1 component found' }).waitFor();
    await page.getByRole('main').focus();
    for (let i = 0; i < 30 && (await focused(page)) !== 'Profile card'; i++) await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Profile card' }).waitFor();
    await page.getByRole('main').focus();
    const entry = page.getByLabel('URL of your data');
    for (let i = 0; i < 20 && !(await entry.evaluate((one) => one === document.activeElement)); i++)
      await page.keyboard.press('Tab');
    await page.keyboard.type(podUrl('data/alice.ttl'));
    await page.keyboard.press('Enter');
    await page.frameLocator('iframe').getByRole('heading', { name: 'Alice Ardent' }).waitFor();
  });
});

describe('beginning with the data', () => {
  test('shows what renders it and how it looks, and one click opens it large; its values stay in the browser', async () => {
    const { page, complaints } = await inTab(home);
    await page.getByLabel('Or begin with your data').fill(podUrl('data/alice.ttl'));
    await page.getByRole('button', { name: 'What renders it?' }).click();
    await page.getByRole('heading', { name: '2 components render it' }).waitFor();
    await page.getByText('renders foaf:Person').first().waitFor();
    await expectAccessible(page);
    // It is shown here, too, in a frame; whoever cannot show it says so, and goes down.
    const frame = page.frameLocator('iframe[title^="Profile card"]').first();
    await frame.getByRole('heading', { name: 'Alice Ardent' }).waitFor();
    await page.getByText('1 of them shows nothing').waitFor();
    await page.getByRole('link', { name: 'Open large Profile card' }).first().click();
    await page.frameLocator('iframe').getByRole('heading', { name: 'Alice Ardent' }).waitFor();
    await page.getByRole('region', { name: 'In one line:' }).getByText(podUrl('data/alice.ttl')).waitFor();
    // Of what nothing here renders, the node is told no value.
    const cup = 'data/cup.ttl';
    const said = '<#cup> <urn:x:holds> "tea Paula likes"; <urn:x:in> [<urn:x:madeOf> ("clay" "glaze")] .';
    await pod.put(`pages/${cup}`, said, 'text/turtle');
    const heard: string[] = [];
    page.on('request', (request) => heard.push(request.url() + (request.postData() ?? '')));
    await page.goto(`${home}/data?${new URLSearchParams({ url: podUrl(cup) })}`);
    await page.getByRole('heading', { name: 'No component here renders it' }).waitFor();
    await expectAccessible(page);
    expect(heard.filter((request) => /Paula|clay/.test(decodeURIComponent(request)))).toEqual([]);
    expect(heard.some((request) => decodeURIComponent(request).includes('urn:x:holds'))).toBe(true);
    // Of the second component, whose module is nowhere.
    expect(complaints.filter((one) => !one.includes('ERR_NAME_NOT_RESOLVED'))).toEqual([]);
  });

  test('says why data cannot be read, and lets the visitor say what it is', async () => {
    const { page } = await inTab(`${home}/data?${new URLSearchParams({ url: podUrl('data/none.ttl') })}`);
    await page.getByText(/It could not be read: .* was answered with 404/).waitFor();
    await expectAccessible(page);
    await page.getByLabel('Its shape').focus();
    await page.keyboard.type('schema:ItemList');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: '1 component renders it' }).waitFor();
    // With the keyboard alone, to the component.
    await page.getByRole('main').focus();
    for (let i = 0; i < 20 && !(await focused(page)).startsWith('Open large'); i++)
      await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Shopping list' }).waitFor();
    await page.getByTitle(/^Shopping list, with the data at .*none\.ttl$/).waitFor();
  });
});
