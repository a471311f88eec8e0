import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { expectGoodLooks, picture, visit } from '../support/browser/browser.js';
import { type ExplorerNode, publish, startExplorerNode } from '../support/node/explorer-node.js';
import { inTorture } from '../support/torture.js';

let explorer: ExplorerNode;
beforeAll(async () => {
  explorer = await startExplorerNode('pages');
});

const FOAF = 'http://xmlns.com/foaf/0.1/';
const componentPath = (uri: string) => `/c/${encodeURIComponent(uri)}`;
const version = (number: string) => `https://components.example.org/profile-card/${number}/profile-card.js`;

/** Every page of a node, by the name of its picture. */
function pages(): Record<string, string> {
  const { podUrl } = explorer;
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

test('a button has a document read again, and the page follows by itself', async () => {
  const document = explorer.podUrl('components/profile-card.ttl');
  const { page } = await visit(`${explorer.node.url}/why?${new URLSearchParams({ document })}`);
  const polled = async () => {
    const answer = await fetch(page.url(), { headers: { accept: 'application/json' } });
    return ((await answer.json()) as { polled: string }).polled;
  };
  const before = await polled();
  await page.getByRole('button', { name: 'Read it again now' }).click();
  await page.getByText('This node was asked to read it again').waitFor();
  await expectGoodLooks(page, 'document-asked');
  await expect.poll(polled).not.toBe(before);
});

/** The narrowest screens that pages are made for. */
const NARROWEST = 320;

test('every page is accessible and not too wide, in light and dark, and its console is silent', async () => {
  const { page, complaints } = await visit('about:blank');
  for (const [what, path] of Object.entries(pages())) {
    const answer = await page.goto(explorer.node.url + path);
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
    await publish(explorer.node, {
      uri: uri(number),
      ...words,
      version: `${number}.0.0-${long}`,
      shapes: [`urn:x:${long}`],
    });
  const { page } = await visit('about:blank', { viewport: { width: NARROWEST, height: 780 } });
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
    const answer = await page.goto(explorer.node.url + path);
    expect([what, answer?.status()]).not.toEqual([what, 414]);
    await picture(page, `${what}-320`);
    expect(await widthOf(page), what).toBeLessThanOrEqual(NARROWEST);
  }
});

/** All documents are made by the same template: in `npm test`, axe reads those that have all of its parts. */
const WITH_ALL_PARTS = ['/docs', '/docs/operators'];

describe('the documentation', () => {
  test('every page is accessible, fits, and loads nothing from elsewhere', async () => {
    const { page, complaints } = await visit(`${explorer.node.url}/docs`, {
      viewport: { width: 320, height: 780 },
    });
    const asked: string[] = [];
    page.on('request', (request) => asked.push(new URL(request.url()).origin));
    const links = page.getByRole('navigation', { name: 'Documents' }).getByRole('link');
    const own = await links.evaluateAll((all) => all.map((link) => link.getAttribute('href') ?? ''));
    const paths = own.filter((href) => href.startsWith('/docs'));
    expect(paths.length).toBeGreaterThan(8);
    for (const path of paths) {
      await page.goto(explorer.node.url + path);
      if (inTorture || WITH_ALL_PARTS.includes(path))
        await expectGoodLooks(page, `docs${path.replace(/\W+/g, '-')}`);
      const width = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      expect([path, width <= 0]).toEqual([path, true]);
      const pictures = await page
        .locator('main img')
        .evaluateAll((all) => all.filter((one) => !(one as HTMLImageElement).naturalWidth));
      expect([path, pictures.length]).toEqual([path, 0]);
    }
    expect(new Set(asked)).toEqual(new Set([new URL(explorer.node.url).origin]));
    expect(complaints).toEqual([]);
  });

  test('works without JavaScript, from page to page by its own links', async () => {
    const { page } = await visit(`${explorer.node.url}/`, { javaScriptEnabled: false });
    await page.getByRole('link', { name: 'Docs' }).click();
    await page.getByRole('main').getByRole('link', { name: 'docs/operators.md' }).first().click();
    await page.getByRole('heading', { level: 1, name: 'For operators' }).waitFor();
    await page
      .getByRole('navigation', { name: 'Documents' })
      .getByRole('link', { name: 'Data', exact: true })
      .click();
    expect(new URL(page.url()).hash).toBe('#data');
  });
});
