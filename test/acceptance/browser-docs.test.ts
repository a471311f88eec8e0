import { beforeAll, describe, expect, test } from 'vitest';
import { expectGoodLooks, visit } from '../support/browser/browser.js';
import { inTorture } from '../support/torture.js';
import { type InProcessNode, startInProcess } from './adapters/in-process-node.js';

let node: InProcessNode;
beforeAll(async () => {
  node = await startInProcess();
});

/** All documents are made by the same template: in `npm test`, axe reads those that have all of its parts. */
const WITH_ALL_PARTS = ['/docs', '/docs/operators'];

describe('the documentation', () => {
  test('every page is accessible, fits, and loads nothing from elsewhere', async () => {
    const { page, complaints } = await visit(`${node.url}/docs`, { viewport: { width: 320, height: 780 } });
    const asked: string[] = [];
    page.on('request', (request) => asked.push(new URL(request.url()).origin));
    const links = page.getByRole('navigation', { name: 'Documents' }).getByRole('link');
    const own = await links.evaluateAll((all) => all.map((link) => link.getAttribute('href') ?? ''));
    const paths = own.filter((href) => href.startsWith('/docs'));
    expect(paths.length).toBeGreaterThan(8);
    for (const path of paths) {
      await page.goto(node.url + path);
      if (inTorture || WITH_ALL_PARTS.includes(path))
        await expectGoodLooks(page, `docs${path.replace(/\W+/g, '-')}`);
      const width = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      expect([path, width <= 0]).toEqual([path, true]);
      const pictures = await page
        .locator('main img')
        .evaluateAll((all) => all.filter((one) => !(one as HTMLImageElement).naturalWidth));
      expect([path, pictures.length]).toEqual([path, 0]);
    }
    expect(new Set(asked)).toEqual(new Set([new URL(node.url).origin]));
    expect(complaints).toEqual([]);
  });

  test('works without JavaScript, from page to page by its own links', async () => {
    const { page } = await visit(`${node.url}/`, { javaScriptEnabled: false });
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
