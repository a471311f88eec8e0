import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { expectAccessible, picture, visit } from '../support/browser/browser.js';
import { type ExplorerNode, startExplorerNode } from '../support/node/explorer-node.js';

let explorer: ExplorerNode;
let home: string;
beforeAll(async () => {
  // A node that knows the bytes of a module offers no button that reads them.
  explorer = await startExplorerNode('finding', { pins: 'off' });
  home = explorer.node.url;
});

const search = (page: Page) => page.getByRole('searchbox', { name: 'Find a component' });
const press = async (page: Page, key: string, times = 1) => {
  for (let i = 0; i < times; i++) await page.keyboard.press(key);
};
const focused = (page: Page) => page.evaluate(() => document.activeElement?.textContent?.trim() ?? '');

describe('finding a component', () => {
  test('without JavaScript: by form, by facets', async () => {
    const { page } = await visit(home, { javaScriptEnabled: false });
    await search(page).fill('profile');
    await page.getByRole('button', { name: 'Search' }).click();
    await page.getByRole('heading', { name: '4 components found' }).waitFor();
    await page.getByRole('complementary').getByRole('link', { name: 'people 1' }).click();
    await page.getByRole('heading', { name: '1 component found' }).waitFor();
    await page.getByRole('link', { name: 'people, remove' }).click();
    await page.getByRole('heading', { name: '4 components found' }).waitFor();
    await page.goto(home);
    await search(page).fill('recipe');
    await page.getByRole('button', { name: 'Search' }).click();
    await page.getByRole('link', { name: 'schema:Recipe 1' }).click();
    await page.getByRole('heading', { level: 3, name: 'Recipe' }).waitFor();
    await page.getByRole('link', { name: 'Dave "the cook" O\'Hara', exact: true }).first().click();
    await page.getByRole('link', { name: 'Dave "the cook" O\'Hara, remove' }).waitFor();
    await page.getByRole('link', { name: 'Network', exact: true }).click();
    const source = page.locator('#sources > li').filter({ hasText: explorer.podUrl('components/') });
    await source.getByText('13 components').waitFor();
    await source.getByText(/documents? unreadable/).waitFor();
  });

  test('with the keyboard alone, to the component in its sandbox', async () => {
    const { page } = await visit(home);
    await press(page, 'Tab');
    expect(await focused(page)).toBe('Skip to content');
    await page.getByRole('main').focus();
    await press(page, 'Tab');
    expect(await search(page).evaluate((one) => one === document.activeElement)).toBe(true);
    await page.keyboard.type('glance');
    await press(page, 'Enter');
    await page.getByRole('heading', { name: '1 component found' }).waitFor();
    await page.getByRole('main').focus();
    for (let i = 0; i < 30 && (await focused(page)) !== 'Profile card'; i++) await press(page, 'Tab');
    await press(page, 'Enter');
    await page.getByRole('heading', { level: 1, name: 'Profile card' }).waitFor();
    await page.getByRole('main').focus();
    const entry = page.getByLabel('URL of your data');
    for (let i = 0; i < 20 && !(await entry.evaluate((one) => one === document.activeElement)); i++)
      await press(page, 'Tab');
    await page.keyboard.type(explorer.podUrl('data/alice.ttl'));
    await press(page, 'Enter');
    await page.frameLocator('iframe').getByRole('heading', { name: 'Alice Ardent' }).waitFor();
  });
});

describe('beginning with the data', () => {
  test('shows what renders it and how it looks, and one click opens it large; its values stay in the browser', async () => {
    const { page, complaints } = await visit(home);
    await explorer.pod.take();
    await page.getByLabel('Or begin with your data').fill(explorer.podUrl('data/alice.ttl'));
    await page.getByRole('button', { name: 'What renders it?' }).click();
    await page.getByRole('heading', { name: '2 components render it' }).waitFor();
    await page.getByText('renders foaf:Person').first().waitFor();
    await expectAccessible(page);
    // It is shown here, too, in a frame; whoever cannot show it says so, and goes down.
    const frame = page.frameLocator('iframe[title^="Profile card"]').first();
    await frame.getByRole('heading', { name: 'Alice Ardent' }).waitFor();
    await page.getByRole('link', { name: 'Open large Profile card' }).first().click();
    await page.frameLocator('iframe').getByRole('heading', { name: 'Alice Ardent' }).waitFor();
    await page
      .getByRole('region', { name: 'In one line:' })
      .getByText(explorer.podUrl('data/alice.ttl'))
      .waitFor();
    // Of what nothing here renders, the node is told no value.
    const cup = 'data/cup.ttl';
    const said = '<#cup> <urn:x:holds> "tea Paula likes"; <urn:x:in> [<urn:x:madeOf> ("clay" "glaze")] .';
    await explorer.pod.put(`finding/${cup}`, said, 'text/turtle');
    const heard: string[] = [];
    page.on('request', (request) => heard.push(request.url() + (request.postData() ?? '')));
    await page.goto(`${home}/data?${new URLSearchParams({ url: explorer.podUrl(cup) })}`);
    await page.getByRole('heading', { name: 'No component here renders it' }).waitFor();
    await expectAccessible(page);
    expect(heard.filter((request) => /Paula|clay/.test(decodeURIComponent(request)))).toEqual([]);
    expect(heard.some((request) => decodeURIComponent(request).includes('urn:x:holds'))).toBe(true);
    await page.goto(home);
    await page.getByRole('heading', { name: 'Which component renders your data?' }).waitFor();
    // Of the second component, whose module is nowhere.
    expect(complaints.filter((one) => !one.includes('ERR_NAME_NOT_RESOLVED'))).toEqual([]);
  });

  test('says why data cannot be read, and lets the visitor say what it is', async () => {
    const { page } = await visit(
      `${home}/data?${new URLSearchParams({ url: explorer.podUrl('data/none.ttl') })}`,
    );
    await page.getByText(/It could not be read: .* was answered with 404/).waitFor();
    await expectAccessible(page);
    await picture(page, 'data-failed');
    // With the keyboard alone, to the component.
    await page.getByLabel('Its shape').focus();
    await page.keyboard.type('schema:ItemList');
    await press(page, 'Enter');
    await page.getByRole('heading', { name: '1 component renders it' }).waitFor();
    await page.getByRole('main').focus();
    for (let i = 0; i < 20 && !(await focused(page)).startsWith('Open large'); i++) await press(page, 'Tab');
    await press(page, 'Enter');
    await page.getByRole('heading', { level: 1, name: 'Editable list' }).waitFor();
    await page.getByTitle(/^Editable list, with the data at .*none\.ttl$/).waitFor();
  });
});
