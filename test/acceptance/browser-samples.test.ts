import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeAll, expect, test } from 'vitest';
import { expectGoodLooks, visit } from '../support/browser/browser.js';
import { page as putPage, strangerSite } from '../support/browser/browser-host.js';
import { documentAt } from '../support/docs.js';
import { tempDir } from '../support/temp-dir.js';
import { type InProcessNode, startInProcess } from './adapters/in-process-node.js';

let node: InProcessNode;
beforeAll(async () => {
  node = await startInProcess({ config: { write: 'open' }, shipped: ['demo'] });
});

const groceries = () => `${node.url}/demo/groceries.ttl`;
const ann = () => `${node.url}/demo/ann.ttl`;
const listPage = () => {
  const parameters = new URLSearchParams({ entry: groceries() });
  return `${node.url}/c/${encodeURIComponent(`${node.url}/demo/shopping-list.js`)}?${parameters}`;
};

test('from the first page to a sample at work takes two clicks, and nothing is loaded from elsewhere', async () => {
  const { page, complaints } = await visit('about:blank');
  const asked = new Set<string>();
  page.on('request', (request) => asked.add(new URL(request.url()).origin));
  await page.goto(node.url);
  await page.getByRole('heading', { name: '3 components' }).waitFor();
  await expectGoodLooks(page, 'samples-home');
  await page.getByRole('link', { name: 'ann.ttl' }).click();
  await page.getByRole('heading', { name: '2 components render it' }).waitFor();
  await page.goto(`${node.url}/c/${encodeURIComponent(`${node.url}/demo/profile-card.js`)}`);
  await page.frameLocator('iframe').getByRole('heading', { name: 'Ann Author' }).waitFor();
  await expectGoodLooks(page, 'samples-component');
  expect([...asked]).toEqual([new URL(node.url).origin]);
  expect(complaints).toEqual([]);
});

test('in the sandbox, a sample reads and may not write', async () => {
  const { page } = await visit(listPage());
  const frame = page.frameLocator('iframe');
  await frame.getByRole('button', { name: 'Remove Milk' }).click();
  await frame.getByText('Not saved').waitFor();
});

test('the host page of the README shows the data on any site, and cannot write it', async () => {
  const [, html = ''] = /<!-- host page -->\n```html\n([\s\S]*?)```/.exec(documentAt('README.md')) ?? [];
  const host = html.replaceAll('http://localhost:3000', node.url);
  const url = putPage(await strangerSite(), '/story', host);
  const shown = await visit(`${url}?data=${encodeURIComponent(ann())}`);
  await shown.page.getByRole('heading', { name: 'Ann Author' }).waitFor();
  expect(shown.complaints).toEqual([]);
  // As the README says: saved, and opened as a file.
  const file = join(await tempDir(), 'page.html');
  await writeFile(file, host);
  const saved = await visit(`${pathToFileURL(file)}?data=${ann()}`);
  await saved.page.getByRole('heading', { name: 'Ann Author' }).waitFor();
  const { page } = await visit(`${url}?data=${encodeURIComponent(groceries())}`);
  await page.getByRole('button', { name: 'Remove Milk' }).click();
  await page.getByText('Not saved').waitFor();
});
