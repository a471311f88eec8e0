import { beforeAll, expect, test } from 'vitest';
import { expectGoodLooks, visit } from '../support/browser/browser.js';
import { type InProcessNode, startInProcess } from './adapters/in-process-node.js';

let node: InProcessNode;
beforeAll(async () => {
  node = await startInProcess({ config: { write: 'open' }, shipped: ['demo'] });
});

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
