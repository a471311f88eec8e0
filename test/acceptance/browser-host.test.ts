import { beforeAll, describe, expect, test } from 'vitest';
import { expectAccessible } from '../support/browser/browser.js';
import { offerModule, strangerSite } from '../support/browser/browser-host.js';
import { openHostPod, readingHostPod, showOn, visitHostPage } from '../support/browser/browser-host-app.js';
import { type FakeServer, inTurtle } from '../support/fake-server.js';
import { sync } from '../support/node/node-reader.js';
import { simple, specOnlyPeer } from '../support/peer/fake-peer.js';
import type { SharedPod } from '../support/pod/shared-pod.js';
import { type InProcessNode, startInProcess } from './adapters/in-process-node.js';

const PERSON = 'http://xmlns.com/foaf/0.1/Person';

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

test('relative URLs are resolved against the page: of modules, entries, requests and resources', async () => {
  const { page, complaints } = await visitHostPage(site, node.url);
  await offerModule(site, 'profile-card.js');
  site.on('/data/alice.ttl', inTurtle(`<> a <${PERSON}>; <http://xmlns.com/foaf/0.1/name> "Alice Ardent".`));
  const seen = await page.evaluate(async () => {
    const { ComponentElement, loadComponent, serveData, shapesOf, solidData } = window.host;
    serveData(document, solidData());
    const card = document.createElement(await loadComponent({ uri: 'profile-card.js', tag: ['card'] }));
    card.setAttribute('entry', './data/alice.ttl');
    document.body.append(card);
    class Reader extends ComponentElement {}
    customElements.define('entry-reader', Reader);
    const reader = new Reader();
    reader.setAttribute('entry', 'data/alice.ttl#me');
    document.body.append(reader);
    return {
      entry: reader.entry,
      text: await reader.readData('./data/alice.ttl', 'text'),
      shapes: await shapesOf('data/alice.ttl'),
    };
  });
  expect(seen).toEqual({
    entry: site.url('/data/alice.ttl#me'),
    text: expect.stringContaining('Alice Ardent'),
    shapes: [PERSON],
  });
  // A component without the base class sends its entry as it is, and gets its answer.
  await page.getByRole('heading', { name: 'Somebody' }).waitFor();
  expect(complaints).toEqual([]);
});

test('a node of another make, which ignores every constraint, knows the component for a piece of data', async () => {
  const modules = await strangerSite();
  const headers = { 'access-control-allow-origin': '*' };
  const alice = `<> a <${PERSON}>; <http://xmlns.com/foaf/0.1/name> "Alice Ardent".`;
  modules.on('/alice.ttl', inTurtle(alice, { headers }));
  const uri = await offerModule(modules, 'profile-card.js');
  const card = { ...simple('card', 'Card of a person'), uri, shapes: [PERSON] };
  // Earlier in the order of uris than what is looked for, so that an answer without a filter begins with it.
  const list = { ...simple('list'), uri: modules.url('/a-list.js'), shapes: ['https://schema.org/ItemList'] };
  const other = await specOnlyPeer(list, card);
  const { page, complaints } = await visitHostPage(site, node.url);
  await showOn(page, other.url, modules.url('/alice.ttl'));
  await page.getByRole('heading', { name: 'Alice Ardent' }).waitFor();
  // It cannot say what fits, so that the library asks for what knows the shapes.
  expect(complaints).toEqual([expect.stringContaining('404')]);
});
