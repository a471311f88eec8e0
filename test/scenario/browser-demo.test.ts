import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { type InProcessNode, startInProcess } from '../acceptance/adapters/in-process-node.js';
import { expectAccessible, expectGoodLooks, picture, visit } from '../support/browser/browser.js';
import { offerModule, page as putPage, strangerSite } from '../support/browser/browser-host.js';
import { documentAt } from '../support/docs.js';
import { listedUris } from '../support/node/node-reader.js';
import { tempDir } from '../support/temp-dir.js';

const DEMO = { config: { write: 'open' }, demo: true };

const dataOf = async (node: InProcessNode, name: string) =>
  (await fetch(`${node.url}/demo/data/${name}`)).text();
/** The frame of one sample on the page. */
const sample = (page: Page, label: string) => page.getByRole('region', { name: label });

/** Every origin that pages ask while `act` runs. */
async function originsAsked(page: Page, act: () => Promise<unknown>): Promise<string[]> {
  const asked = new Set<string>();
  page.on('request', (request) => asked.add(new URL(request.url()).origin));
  await act();
  return [...asked];
}

describe('an empty node', () => {
  test('shows its samples by a click, which go with another one', async () => {
    const node = await startInProcess({ config: { write: 'open' } });
    const { page, complaints } = await visit(node.url);
    await expectAccessible(page);
    await picture(page, 'demo-empty');
    await page.getByRole('button', { name: 'Show samples' }).click();
    await page.getByRole('heading', { level: 1, name: 'Demo' }).waitFor();
    await sample(page, 'Profile card').getByRole('heading', { name: 'Ann Author' }).waitFor();
    expect(await listedUris(node)).toHaveLength(3);

    await page.getByRole('link', { name: 'Components' }).click();
    await page.getByRole('heading', { name: '3 components' }).waitFor();
    // The question, answered by one click.
    await page.getByRole('link', { name: 'ann.ttl' }).click();
    await page.getByRole('heading', { name: '2 components render it' }).waitFor();
    await page.getByRole('link', { name: 'See them at work' }).waitFor();
    await page.goBack();
    expect(await page.getByText('sample', { exact: true }).count()).toBeGreaterThanOrEqual(3);
    await page.getByRole('button', { name: 'Remove them' }).click();
    await page.getByText('Nobody has described a component here yet').waitFor();
    expect(await listedUris(node)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  test('does so without JavaScript, too', async () => {
    const node = await startInProcess({ config: { write: 'open' } });
    const { page } = await visit(node.url, { javaScriptEnabled: false });
    await page.getByRole('button', { name: 'Show samples' }).click();
    await page.getByRole('heading', { level: 1, name: 'Demo' }).waitFor();
    expect(await page.getByText('The whole module, 20 lines').count()).toBe(1);
    await page.getByRole('button', { name: 'Remove them' }).click();
    await page.getByRole('button', { name: 'Show samples' }).waitFor();
  });
});

describe('a node that was started with --demo', () => {
  /** For tests that change nothing. */
  let unchanged: InProcessNode;
  beforeAll(async () => {
    unchanged = await startInProcess(DEMO);
  });

  test('its pages are accessible, fit, and load nothing from elsewhere', async () => {
    const node = unchanged;
    const { page, complaints } = await visit('about:blank');
    const parameters = new URLSearchParams({ entry: `${node.url}/demo/data/groceries.ttl` });
    const list = `/c/${encodeURIComponent(`${node.url}/demo/shopping-list.js`)}`;
    const paths = { home: '/', demo: '/demo', trial: `${list}?${parameters}` };
    const asked = await originsAsked(page, async () => {
      for (const [name, path] of Object.entries(paths)) {
        await page.goto(node.url + path);
        if (name === 'demo') await page.getByText('Tomatoes').waitFor();
        await expectGoodLooks(page, `demo-${name}`);
      }
    });
    expect(asked).toEqual([new URL(node.url).origin]);
    expect(complaints).toEqual([]);
  });

  test('has its data changed and written back, where a restart finds it', async () => {
    const node = await startInProcess(DEMO);
    const { page, complaints } = await visit(`${node.url}/demo`);
    const form = sample(page, 'Profile form');
    await form.getByRole('textbox', { name: 'Name' }).fill('Ann "Green" Author');
    await form.getByRole('button', { name: 'Save' }).click();
    await form.getByRole('status').getByText('Saved.').waitFor();
    // The card beside it shows the same document.
    await sample(page, 'Profile card').getByRole('heading', { name: 'Ann "Green" Author' }).waitFor();
    await page.getByText(/^write .*ann\.ttl#me as quads: answered$/).waitFor();
    expect(await dataOf(node, 'ann.ttl')).toContain('"Ann \\u0022Green\\u0022 Author"');

    const list = sample(page, 'Shopping list');
    await list.getByRole('textbox', { name: 'New item' }).fill('Cake');
    await list.getByRole('textbox', { name: 'New item' }).press('Enter');
    await list.getByText('Cake').waitFor();
    await list.getByRole('button', { name: 'Remove Milk' }).click();
    await list.getByText('Milk').waitFor({ state: 'detached' });
    await expectAccessible(page);
    expect(complaints).toEqual([]);

    await node.stop();
    await node.start();
    const { page: later } = await visit(`${node.url}/demo`);
    await sample(later, 'Shopping list').getByText('Cake').waitFor();
    expect(await dataOf(node, 'groceries.ttl')).not.toContain('Milk');
  });

  test('says when somebody else was faster', async () => {
    const node = await startInProcess(DEMO);
    const { page } = await visit(`${node.url}/demo`);
    const form = sample(page, 'Profile form');
    await form.getByRole('textbox', { name: 'Name' }).fill('Mine');
    const body = (await dataOf(node, 'ann.ttl')).replace('Ann Author', 'Theirs');
    const headers = { 'content-type': 'text/turtle' };
    expect((await fetch(`${node.url}/demo/data/ann.ttl`, { method: 'PUT', headers, body })).status).toBe(204);
    await form.getByRole('button', { name: 'Save' }).click();
    await form.getByRole('status').getByText('somebody else has changed it meanwhile').waitFor();
    expect(await dataOf(node, 'ann.ttl')).toContain('Theirs');
  });

  test('is used with the keyboard alone', async () => {
    const node = await startInProcess(DEMO);
    const { page } = await visit(`${node.url}/demo`);
    await sample(page, 'Shopping list').getByText('Tomatoes').waitFor();
    const focused = () =>
      page.evaluate(() => {
        const host = document.activeElement;
        return (host?.shadowRoot?.activeElement ?? host)?.getAttribute('aria-label') ?? '';
      });
    await page.getByRole('main').focus();
    for (let i = 0; i < 60 && (await focused()) !== 'New item'; i++) await page.keyboard.press('Tab');
    await page.keyboard.type('Tea');
    await page.keyboard.press('Enter');
    await sample(page, 'Shopping list').getByText('Tea').waitFor();
    // Where the next item is typed.
    expect(await focused()).toBe('New item');
  });

  test('runs none but its own components on that page, whatever others describe', async () => {
    const node = await startInProcess(DEMO);
    const modules = await strangerSite();
    const uri = await offerModule(modules, 'hostile/marks.js');
    const components = [
      { uri, label: 'A stranger', shapes: ['http://xmlns.com/foaf/0.1/Person'], latest: true },
      {
        uri: `${node.url}/demo/profile-card.js`,
        label: 'Posted over the sample',
        tag: ['x'],
        shapes: ['http://xmlns.com/foaf/0.1/Person'],
      },
    ];
    const headers = { 'content-type': 'application/json' };
    const posted = await fetch(`${node.url}/component`, {
      method: 'POST',
      headers,
      body: JSON.stringify(components),
    });
    expect(posted.status).toBe(201);
    const { page } = await visit('about:blank');
    const asked = await originsAsked(page, async () => {
      await page.goto(`${node.url}/demo`);
      await sample(page, 'Profile card').getByRole('heading', { name: 'Ann Author' }).waitFor();
      await sample(page, 'Shopping list').getByText('Tomatoes').waitFor();
    });
    expect(asked).toEqual([new URL(node.url).origin]);
  });

  test('says where it works, when the node is asked by another name', async () => {
    const node = unchanged;
    const { page, complaints } = await visit(`${node.url.replace('localhost', '127.0.0.1')}/demo`);
    await sample(page, 'Profile card').getByText(`open this page at ${node.url}`).waitFor();
    expect(complaints).toEqual([]);
  });

  test('in the sandbox, a sample reads and may not write', async () => {
    const node = unchanged;
    const parameters = new URLSearchParams({ entry: `${node.url}/demo/data/groceries.ttl` });
    const list = `${node.url}/c/${encodeURIComponent(`${node.url}/demo/shopping-list.js`)}`;
    const { page } = await visit(`${list}?${parameters}`);
    const frame = page.frameLocator('iframe');
    await frame.getByRole('button', { name: 'Remove Milk' }).click();
    await frame.getByText('Not saved').waitFor();
    expect(await dataOf(node, 'groceries.ttl')).toContain('Milk');
  });

  test('the host page of docs/web-developers.md shows the data on any site, and cannot write it', async () => {
    const node = unchanged;
    const [, html = ''] =
      /<!-- host page -->\n```html\n([\s\S]*?)```/.exec(documentAt('docs/web-developers.md')) ?? [];
    const url = putPage(await strangerSite(), '/story', html.replaceAll('http://localhost:3000', node.url));
    const shown = await visit(`${url}?data=${encodeURIComponent(`${node.url}/demo/data/ann.ttl`)}`);
    await shown.page.getByRole('heading', { name: 'Ann Author' }).waitFor();
    expect(shown.complaints).toEqual([]);
    // As the README says: saved, and opened as a file.
    const file = join(await tempDir(), 'page.html');
    const [, readme = ''] = /<!-- host page -->\n```html\n([\s\S]*?)```/.exec(documentAt('README.md')) ?? [];
    await writeFile(file, readme.replaceAll('http://localhost:3000', node.url));
    const saved = await visit(`${pathToFileURL(file)}?data=${node.url}/demo/data/ann.ttl`);
    await saved.page.getByRole('heading', { name: 'Ann Author' }).waitFor();
    const { page } = await visit(`${url}?data=${encodeURIComponent(`${node.url}/demo/data/groceries.ttl`)}`);
    await page.getByRole('button', { name: 'Remove Milk' }).click();
    await page.getByText('Not saved').waitFor();
    expect(await dataOf(node, 'groceries.ttl')).toContain('Milk');
  });
});

test('where nobody may write, the samples are shown, and say that nothing can be saved', async () => {
  const node = await startInProcess({ demo: true });
  const { page } = await visit(`${node.url}/demo`);
  expect(await page.getByRole('button', { name: 'Remove them' }).count()).toBe(0);
  await page.getByText('Nobody may write to this node').waitFor();
  const form = sample(page, 'Profile form');
  await form.getByRole('textbox', { name: 'Name' }).fill('Mine');
  await form.getByRole('button', { name: 'Save' }).click();
  await form.getByRole('status').getByText('Not saved: it may not be written').waitFor();
  expect(await dataOf(node, 'ann.ttl')).toContain('Ann Author');
});
