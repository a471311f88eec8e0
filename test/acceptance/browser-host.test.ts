import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { expectAccessible, picture, visit } from '../support/browser/browser.js';
import { offerModule, page as putPage, strangerSite } from '../support/browser/browser-host.js';
import { openHostPod, readingHostPod, showOn, visitHostPage } from '../support/browser/browser-host-app.js';
import type { FakeServer } from '../support/fake-server.js';
import { startNode } from '../support/node/node-process.js';
import { sync } from '../support/node/node-reader.js';
import type { SharedPod } from '../support/pod/shared-pod.js';
import { type InProcessNode, startInProcess } from './adapters/in-process-node.js';

let pod: SharedPod;
let node: InProcessNode;
/** The site of the host application, and the one that serves components to it. */
let site: FakeServer;
let modules: FakeServer;

beforeAll(async () => {
  pod = await openHostPod();
  node = await startInProcess(nodeOptions());
  await sync(node);
  [site, modules] = [await strangerSite(), await strangerSite()];
});

const nodeOptions = () => readingHostPod(pod);
const shared = (name: string) => `${pod.url}host/shared/${name}`;
const inPod = async (name: string) =>
  (await fetch(shared(name), { headers: { accept: 'text/turtle' } })).text();
const hostPage = () => visitHostPage(site, node.url);
const show = (page: Page, resource: string) => showOn(page, node.url, resource);

describe('the three-minute story', () => {
  test('the host page of docs/web-developers.md shows a person, found by her data', async () => {
    const text = await readFile(new URL('../../docs/web-developers.md', import.meta.url), 'utf8');
    const [, html = ''] = /<!-- host page -->\n```html\n([\s\S]*?)```/.exec(text) ?? [];
    expect(html.split('\n').length).toBeLessThanOrEqual(21);
    const url = putPage(site, '/story', html.replaceAll('http://localhost:3000', node.url));
    const { page, complaints } = await visit(`${url}?data=${encodeURIComponent(shared('alice.ttl'))}`);
    await page.getByRole('heading', { name: 'Alice Ardent' }).waitFor();
    await expect.poll(() => page.getByText('alice@example.org').isVisible()).toBe(true);
    await picture(page, 'story');
    expect(complaints).toEqual([]);
  });

  test('a list is read, edited, and written back; the pod has it', async () => {
    const { page, complaints } = await hostPage();
    await show(page, shared('groceries.ttl'));
    await page.getByRole('textbox', { name: 'Milk' }).fill('Oat milk');
    await page.getByRole('textbox', { name: 'Milk' }).press('Enter');
    await page.getByText('Saved.').waitFor();
    await page.getByRole('textbox', { name: 'New item' }).fill('Tea "green"\n');
    await page.getByRole('button', { name: 'Add' }).click();
    await page.getByText('Added.').waitFor();
    await expectAccessible(page);

    const saved = await inPod('groceries.ttl');
    expect(saved).toMatch(/"Oat milk"/);
    expect(saved).toMatch(/"Bread"/);
    expect(saved).toMatch(/"Tea \\"green\\""/);
    expect(saved).toMatch(/ItemList/);
    expect(saved).not.toMatch(/"Milk"/);
    expect(complaints).toEqual([]);
  });

  test('what somebody else wrote meanwhile is not overwritten', async () => {
    await pod.put(
      'host/shared/race.ttl',
      '<> a <https://schema.org/ItemList>; <https://schema.org/itemListElement> "Mine".',
      'text/turtle',
    );
    const { page } = await hostPage();
    await show(page, shared('race.ttl'));
    await page.getByRole('textbox', { name: 'Mine' }).fill('Changed');
    await pod.put(
      'host/shared/race.ttl',
      '<> a <https://schema.org/ItemList>; <https://schema.org/itemListElement> "Theirs".',
      'text/turtle',
    );
    await page.getByRole('textbox', { name: 'Mine' }).press('Enter');
    await page.getByText('somebody else may have changed it').waitFor();
    expect(await inPod('race.ttl')).toMatch(/"Theirs"/);
  });
});

describe('data events in a real document', () => {
  test('nested components are answered where they stand, each once', async () => {
    const { page, complaints } = await hostPage();
    const book = await offerModule(modules, 'address-book.js');
    const card = `${pod.url}host/components/profile-card.js`;
    await page.evaluate(
      async ([book, card, alice]) => {
        const { loadComponent, serveData, solidData } = window.host;
        serveData(document, solidData());
        const element = document.createElement(await loadComponent({ uri: book, tag: ['address-book'] }));
        element.setAttribute('card', await loadComponent({ uri: card, tag: ['card'] }));
        element.setAttribute('entry', `${alice} ${alice}#me`);
        document.body.append(element);
      },
      [book, card, shared('alice.ttl')] as const,
    );
    await expect.poll(() => page.getByRole('heading', { name: 'Alice Ardent' }).count()).toBe(2);
    expect(complaints).toEqual([]);
  });

  test('the nearest host answers, and no request goes past it', async () => {
    const { page } = await hostPage();
    const seen = await page.evaluate(async () => {
      const { ComponentElement, serveData } = window.host;
      class Plain extends ComponentElement {}
      customElements.define('plain-component', Plain);
      const inner = document.createElement('section');
      const [inside, outside] = [new Plain(), new Plain()];
      inner.attachShadow({ mode: 'open' }).append(inside);
      document.body.append(inner, outside);
      const outer: string[] = [];
      serveData(document, async ({ uri }) => {
        outer.push(uri);
        return 'outer';
      });
      serveData(inner, async () => 'inner');
      const answers = [
        await inside.readData('https://pod.example/a', 'text'),
        await outside.readData('https://pod.example/b', 'text'),
        await outside.writeData('https://pod.example/c', 'text', 'data'),
      ];
      return { outer, answers };
    });
    expect(seen).toEqual({
      outer: ['https://pod.example/b', 'https://pod.example/c'],
      answers: ['inner', 'outer', 'outer'],
    });
  });

  test('a component that sends nonsense gets one refusal for each, and the page lives on', async () => {
    const { page } = await hostPage();
    const uri = await offerModule(modules, 'hostile/rude.js');
    await page.evaluate(
      async ([uri, entry]) => {
        const { loadComponent, serveData, solidData } = window.host;
        serveData(document, solidData());
        const element = document.createElement(await loadComponent({ uri, tag: [] }));
        element.setAttribute('entry', entry);
        document.body.append(element);
      },
      [uri, shared('alice.ttl')] as const,
    );
    await page.getByText(JSON.stringify(Array(8).fill([false]))).waitFor();
    await show(page, shared('alice.ttl'));
    await page.getByRole('heading', { name: 'Alice Ardent' }).waitFor();
  });

  test('ComponentElement shows its entry, and shows why when it cannot', async () => {
    const { page } = await hostPage();
    await page.evaluate(
      async ([alice, missing]) => {
        const { ComponentElement, serveData, solidData } = window.host;
        class Reader extends ComponentElement {
          override async show(entry: string) {
            const text = document.createElement('p');
            text.textContent = await this.readData(entry, 'text', 'text/turtle');
            this.root.replaceChildren(text);
          }
        }
        customElements.define('text-reader', Reader);
        serveData(document, solidData());
        const [one, other] = [new Reader(), new Reader()];
        one.entry = alice;
        other.entry = missing;
        document.body.append(one, other);
      },
      [shared('alice.ttl'), shared('missing.ttl')] as const,
    );
    await page.getByText('@prefix').waitFor();
    await page
      .getByRole('alert')
      .getByText('This does not work here. The developers of the page can find out why.')
      .waitFor();
  });

  test('data that is not there, or is larger than the host takes, is said at the component', async () => {
    const { page } = await hostPage();
    modules.on('/huge.ttl', {
      headers: { 'content-type': 'text/turtle', 'access-control-allow-origin': '*' },
      body: `# ${'x'.repeat(1e6)}`,
      endless: true,
    });
    await page.evaluate(
      async ([card, ...entries]) => {
        const { loadComponent, serveData, solidData } = window.host;
        serveData(document, solidData({ maxBytes: 100_000 }));
        const name = await loadComponent({ uri: card, tag: ['card'] });
        for (const entry of entries) {
          const element = document.createElement(name);
          element.setAttribute('entry', entry);
          document.body.append(element);
        }
      },
      [
        `${pod.url}host/components/profile-card.js`,
        shared('missing.ttl'),
        modules.url('/huge.ttl'),
        shared('alice.ttl'),
      ] as const,
    );
    await expect.poll(() => page.getByText('This profile cannot be read.').count()).toBe(2);
    await page.getByRole('heading', { name: 'Alice Ardent' }).waitFor();
  });
});

describe('appending in a real pod', () => {
  const quads = (object: object) => [
    {
      subject: { termType: 'NamedNode', value: shared('log.ttl') },
      predicate: { termType: 'NamedNode', value: 'https://schema.org/text' },
      object,
      graph: { termType: 'DefaultGraph', value: '' },
    },
  ];

  /** Has two pages append at once. */
  async function appendTwice(uri: string, type: 'quads' | 'text', items: readonly unknown[]) {
    await Promise.all(
      items.map(async (data) => {
        const { page } = await hostPage();
        await page.evaluate(
          async ([uri, type, data]) => {
            const handler = window.host.solidData();
            await handler({ action: 'append', uri, type, data }, new AbortController().signal);
          },
          [uri, type, data] as const,
        );
      }),
    );
  }

  test('quads of two at once are all there, blank nodes included', async () => {
    await appendTwice(shared('log.ttl'), 'quads', [
      quads({ termType: 'Literal', value: 'one', language: 'en' }),
      quads({ termType: 'Literal', value: 'two "quoted"' }),
      quads({ termType: 'BlankNode', value: 'b0' }),
      quads({ termType: 'BlankNode', value: 'b0' }),
    ]);
    const saved = await inPod('log.ttl');
    expect(saved).toMatch(/"one"@en/);
    expect(saved).toMatch(/two \\"quoted\\"/);
    expect(saved.match(/_:\w+|\[\s*\]/g)).toHaveLength(2);
  });

  test('text of two at once is all there, in a type that stays what it was', async () => {
    await pod.put('host/shared/log.csv', 'a\n', 'text/csv');
    await appendTwice(shared('log.csv'), 'text', ['b\n', 'c\n', 'd\n']);
    const response = await fetch(shared('log.csv'));
    expect((await response.text()).split('\n').sort()).toEqual(['', 'a', 'b', 'c', 'd']);
    expect(response.headers.get('content-type')).toMatch(/^text\/csv/);
  });
});

describe('two nodes', () => {
  test('one is killed; the client carries on, and with both gone still has what it had', async () => {
    const other = await startNode(nodeOptions());
    await sync(other);
    const { page } = await hostPage();
    const ask = () =>
      page.evaluate(async () => {
        const client = (window as unknown as { client: InstanceType<Window['host']['RegistryClient']> })
          .client;
        const found = await client.query({ tag: 'people' });
        return [
          found.map(({ label }) => label),
          client.nodes.map(({ failingSince }) => failingSince !== undefined),
        ];
      });
    await page.evaluate(
      (nodes) => {
        Object.assign(window, { client: new window.host.RegistryClient({ nodes, timeoutMs: 3000 }) });
      },
      [other.url, node.url],
    );
    expect(await ask()).toEqual([['Profile card'], [false, false]]);
    await other.kill();
    expect(await ask()).toEqual([['Profile card'], [true, false]]);
    await page.route(`${node.url}/**`, (route) => route.abort());
    expect(await ask()).toEqual([['Profile card'], [true, true]]);
  });
});
