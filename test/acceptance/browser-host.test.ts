import { beforeAll, describe, expect, test } from 'vitest';
import { expectAccessible } from '../support/browser/browser.js';
import { strangerSite } from '../support/browser/browser-host.js';
import { openHostPod, readingHostPod, showOn, visitHostPage } from '../support/browser/browser-host-app.js';
import type { FakeServer } from '../support/fake-server.js';
import { sync } from '../support/node/node-reader.js';
import type { SharedPod } from '../support/pod/shared-pod.js';
import { type InProcessNode, startInProcess } from './adapters/in-process-node.js';

let pod: SharedPod;
let node: InProcessNode;
/** The site of the host application. */
let site: FakeServer;

beforeAll(async () => {
  pod = await openHostPod();
  node = await startInProcess(readingHostPod(pod));
  await sync(node);
  site = await strangerSite();
});

const shared = (name: string) => `${pod.url}host/shared/${name}`;
const inPod = async (name: string) =>
  (await fetch(shared(name), { headers: { accept: 'text/turtle' } })).text();
const hostPage = () => visitHostPage(site, node.url);

describe('the three-minute story', () => {
  test('a list is read, edited, and written back; the pod has it', async () => {
    const { page, complaints } = await hostPage();
    await showOn(page, node.url, shared('groceries.ttl'));
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
});

test('quads that two pages append at once are all in the pod, blank nodes included', async () => {
  const [uri, predicate] = [shared('log.ttl'), 'https://schema.org/text'];
  const objects = [
    { termType: 'Literal', value: 'one', language: 'en' },
    { termType: 'Literal', value: 'two "quoted"' },
    { termType: 'BlankNode', value: 'b0' },
    { termType: 'BlankNode', value: 'b0' },
  ];
  await Promise.all(
    objects.map(async (object) => {
      const { page } = await hostPage();
      await page.evaluate(
        async ([uri, predicate, object]) => {
          const named = (value: string) => ({ termType: 'NamedNode', value });
          const graph = { termType: 'DefaultGraph', value: '' };
          const data = [{ subject: named(uri), predicate: named(predicate), object, graph }];
          const handler = window.host.solidData();
          await handler({ action: 'append', uri, type: 'quads', data }, new AbortController().signal);
        },
        [uri, predicate, object] as const,
      );
    }),
  );
  const saved = await inPod('log.ttl');
  expect(saved).toMatch(/"one"@en/);
  expect(saved).toMatch(/two \\"quoted\\"/);
  expect(saved.match(/_:\w+|\[\s*\]/g)).toHaveLength(2);
});
