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

interface Seen {
  /** The component that shows it. */
  readonly uri: string | undefined;
  /** What people can read then, or what went wrong. */
  readonly text: string;
}

/** Shows a document with the best component, beside what the page shows already. */
const shown = (page: Page, url: string): Promise<Seen> =>
  page.evaluate(
    async ([url, registry]) => {
      const into = document.createElement('section');
      document.querySelector('main')?.append(into);
      const textOf = (root: Node): string =>
        [...root.childNodes]
          .map((child) => (child instanceof Element ? textIn(child) : child.nodeValue))
          .join(' ');
      const textIn = (element: Element): string => {
        if (/^(style|script)$/.test(element.localName)) return '';
        if (element instanceof HTMLInputElement) return element.value;
        if (element instanceof HTMLImageElement) return `(${element.alt})`;
        return (element.shadowRoot ? textOf(element.shadowRoot) : '') + textOf(element);
      };
      const read = () => textOf(into).replace(/\s+/g, ' ').trim();
      try {
        const began = performance.now();
        const found = await window.host.showResource(url, { into, registry });
        // Components of the specification ask for their data once they are there, and show one thing after the other.
        let text = '';
        for (let same = 0; found && same < 30 && performance.now() - began < 60_000; ) {
          await new Promise(requestAnimationFrame);
          same = text !== '' && text === read() ? same + 1 : 0;
          text = read();
        }
        return { uri: found?.component.uri, text };
      } catch (error) {
        return { uri: undefined, text: String(error) };
      }
    },
    [url, [node.url]] as const,
  );

test('with the starter set, each of the real documents shows something, most something made for them, and runs nothing', async () => {
  const { page } = await visitHostPage(site, node.url, { go: inTab });
  const listed = (await (await fetch(`${node.url}/component`)).json()) as { uri: string; label: string }[];
  const labels = new Map(listed.map(({ uri, label }) => [uri, label]));
  const shownBy = new Map<string, string>();
  const texts = new Map<string, string>();
  const names = readdirSync(DATA);
  const all = await Promise.all(names.map((name) => shown(page, site.url(`/data/${name}`))));
  for (const [i, { uri = '', text }] of all.entries()) {
    const name = names[i] ?? '';
    expect([name, text, labels.has(uri)]).toEqual([name, expect.stringMatching(/\S/), true]);
    shownBy.set(name, labels.get(uri) ?? '');
    texts.set(name, text);
  }
  const better = [...shownBy].filter(([, label]) => !GENERIC.includes(label));
  expect([shownBy.size >= 40, better.length >= 30]).toEqual([true, true]);
  expect(Object.fromEntries(shownBy)).toMatchObject({
    ...{ 'solidos-profile.ttl': 'Person', 'contacts-book.ttl': 'Address book or group', 'chat.ttl': 'Chat' },
    ...{
      'css-container.ttl': 'Folder',
      'dot.png': 'Image',
      'notes.md': 'Markdown',
      'readme.txt': 'Document',
    },
    ...{ 'recipe.ttl': 'Recipe', 'unknown.ttl': 'Anything', 'bookmark.ttl': 'Bookmark' },
  });
  // Of documents with several things, each.
  expect(texts.get('bookmarks.ttl')).toMatch(/SHACL.*Linked Data Platform/);
  expect(texts.get('tasks.ttl')).toMatch(/Plant the pear tree.*Mend the fence/);
  expect(texts.get('two-people.ttl')).toMatch(/Dora Doe.*Emil Doe/);
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
