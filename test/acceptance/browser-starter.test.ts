import { readdirSync, readFileSync } from 'node:fs';
import { extname } from 'node:path';
import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { expectGoodLooks, oneTab } from '../support/browser/browser.js';
import { offerData, open, strangerSite, visitHostPage } from '../support/browser/host-page.js';
import { TOP } from '../support/docs.js';
import type { FakeServer } from '../support/fake-server.js';
import { inTorture } from '../support/torture.js';
import { type InProcessNode, startInProcess } from './adapters/in-process-node.js';

const DATA = `${TOP}test/fixtures/real-data/`;
const TYPES: Readonly<Record<string, string>> = {
  '.ttl': 'text/turtle',
  '.jsonld': 'application/ld+json',
  '.md': 'text/markdown',
  '.txt': 'text/plain',
  '.html': 'text/html',
  '.png': 'image/png',
};
/** What shows anything, whatever it is. */
const GENERIC = ['Anything', 'Graph', 'RDF source'];

const inTab = oneTab();
let node: InProcessNode;
let site: FakeServer;

beforeAll(async () => {
  [node, site] = [await startInProcess({ shipped: ['starter'] }), await strangerSite()];
  for (const name of readdirSync(DATA))
    site.on(`/data/${name}`, open(TYPES[extname(name)] ?? '', readFileSync(DATA + name)));
});

/** Shows a document in a place of its own. Gives the URL of what shows it, or what went wrong. */
const shown = (page: Page, name: string): Promise<string | undefined> =>
  page.evaluate(
    async ([name, url, registry]) => {
      const into = Object.assign(document.createElement('section'), { id: name });
      document.querySelector('main')?.append(into);
      return window.host.showResource(url, { into, registry }).then((found) => found?.component.uri, String);
    },
    [name, site.url(`/data/${name}`), [node.url]] as const,
  );

test('with the starter set, each of the real documents shows something, most something made for them, and runs nothing', async () => {
  const { page } = await visitHostPage(site, node.url, { go: inTab });
  const listed = await node.getJson<{ uri: string; label: string }[]>('/component');
  const labels = new Map(listed.map(({ uri, label }) => [uri, label]));
  const names = readdirSync(DATA);
  const uris = await Promise.all(names.map((name) => shown(page, name)));
  const shownBy = new Map(names.map((name, i) => [name, labels.get(uris[i] ?? '') ?? uris[i]]));
  expect([...shownBy].filter(([, label]) => ![...labels.values()].includes(label ?? ''))).toEqual([]);
  const better = [...shownBy].filter(([, label]) => !GENERIC.includes(label ?? ''));
  expect([shownBy.size >= 40, better.length >= 30]).toEqual([true, true]);
  expect(Object.fromEntries(shownBy)).toMatchObject({
    ...{ 'solidos-profile.ttl': 'Person', 'contacts-book.ttl': 'Address book or group', 'chat.ttl': 'Chat' },
    ...{ 'css-container.ttl': 'Folder', 'dot.png': 'Image', 'notes.md': 'Markdown' },
    ...{ 'readme.txt': 'Document', 'recipe.ttl': 'Recipe', 'unknown.ttl': 'Anything' },
    ...{ 'bookmark.ttl': 'Bookmark' },
  });
  // Of documents with several things, each; of all others, anything that people can read or hear.
  const texts: Readonly<Record<string, RegExp>> = {
    'bookmarks.ttl': /SHACL.*Linked Data Platform/s,
    'tasks.ttl': /Plant the pear tree.*Mend the fence/s,
    'two-people.ttl': /Dora Doe.*Emil Doe/s,
  };
  for (const name of names) {
    const text = () => page.locator(`[id="${name}"]`).ariaSnapshot();
    await expect.poll(text, { message: name }).toMatch(texts[name] ?? /\S/);
  }
  // What a document holds runs nothing.
  const link = page.getByRole('link', { name: 'the list' });
  expect(await link.getAttribute('href')).toBe(site.url('/data/tasks.ttl'));
  expect(await page.locator('img[onerror], img[src^="javascript:"]').count()).toBe(0);
});

test('on /data, three components of the set render a contact, though others stay blank', async () => {
  const ann =
    '@prefix v: <http://www.w3.org/2006/vcard/ns#>. <#me> a v:Individual; v:fn "Ann Author"; v:role "Gardener".';
  const url = offerData(site, '/contact.ttl', ann);
  const opened = Date.now();
  const { page } = await inTab(`${node.url}/data?${new URLSearchParams({ url })}`);
  await page.locator('.live.shown').nth(2).waitFor();
  // Tests run one at a time then, so that this measures the page and not the machine.
  if (inTorture) expect(Date.now() - opened).toBeLessThanOrEqual(2_500);
  await page.frameLocator('iframe[title="Person, with your data"]').getByText('Gardener').waitFor();
  await expectGoodLooks(page, 'data-three');
});
