import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { expectAccessible } from '../support/browser/browser.js';
import { offerModule, showResource, strangerSite, visitHostPage } from '../support/browser/host-page.js';
import { openHostPod } from '../support/browser/host-pod.js';
import { type FakeServer, inTurtle } from '../support/fake-server.js';
import { sync } from '../support/node/node-reader.js';
import type { Pod } from '../support/pod/pod.js';
import { type InProcessNode, startInProcess } from './adapters/in-process-node.js';

const PERSON = 'http://xmlns.com/foaf/0.1/Person';
const ALICE = `<> a <${PERSON}>; <http://xmlns.com/foaf/0.1/name> "Alice Ardent".`;

let pod: Pod;
let node: InProcessNode;
/** The site of the host application. */
let site: FakeServer;

beforeAll(async () => {
  pod = await openHostPod();
  node = await startInProcess({
    config: { pods: [{ url: `${pod.url}host/components/` }] },
  });
  await sync(node);
  site = await strangerSite();
});

const shared = (name: string) => `${pod.url}host/shared/${name}`;
const inPod = async (name: string) =>
  (await fetch(shared(name), { headers: { accept: 'text/turtle' } })).text();
const hostPage = () => visitHostPage(site, node.url);

test('a list is read, edited, and written back; the pod has it', async () => {
  const { page, complaints } = await hostPage();
  await showResource(page, node.url, shared('groceries.ttl'));
  await page.getByRole('button', { name: 'Remove Milk' }).click();
  await page.getByText('Saved.').waitFor();
  await page.getByRole('textbox', { name: 'New item' }).fill('Tea "green"');
  await page.getByRole('button', { name: 'Add' }).click();
  await page.getByRole('button', { name: 'Remove Tea' }).waitFor();
  await expectAccessible(page);
  const saved = await inPod('groceries.ttl');
  for (const part of [/"Bread"/, /"Tea \\u0022green\\u0022"/, /ItemList/]) expect(saved).toMatch(part);
  expect(saved).not.toMatch(/"Milk"/);
  expect(complaints).toEqual([]);
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
  const { page, complaints } = await hostPage();
  await offerModule(site, 'profile-card.js');
  site.on('/data/alice.ttl', inTurtle(ALICE));
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
  await page.getByRole('heading', { name: 'Alice Ardent' }).waitFor();
  expect(complaints).toEqual([]);
});

test('what a component cannot read is told to readers, and a line without data to who wrote the page', async () => {
  const { page, complaints } = await hostPage();
  const seen = await page.evaluate(async (embed) => {
    const { ComponentElement, serveData, solidData } = window.host;
    serveData(document, solidData());
    class Reader extends ComponentElement {
      override async show(entry: string) {
        await this.readData(entry, 'text');
      }
    }
    customElements.define('gone-reader', Reader);
    const reader = new Reader();
    const told = new Promise((resolve) => {
      new MutationObserver(() => resolve(reader.root.textContent)).observe(reader.root, { childList: true });
    });
    reader.setAttribute('entry', 'data/gone.ttl');
    document.body.append(reader);
    const script = Object.assign(document.createElement('script'), { type: 'module', src: embed });
    const ended = new Promise((resolve) => script.addEventListener('load', resolve));
    document.body.append(script);
    await ended;
    return told;
  }, `${node.url}/embed.js`);
  expect(seen).toMatch(/^This cannot be read or saved just now/);
  expect(complaints).toContainEqual(expect.stringContaining('data-entry must name the URL of the data'));
});

const FLAGS = [true, false];
const ROOTS = ['none', 'open', 'closed'] as const;
const SENDERS = ['component', 'inside'] as const;
const PLACES = ['document', 'window', 'main', 'component'] as const;

interface Case {
  readonly bubbles: boolean;
  readonly composed: boolean;
  readonly root: (typeof ROOTS)[number];
  readonly at: (typeof SENDERS)[number];
  readonly served: (typeof PLACES)[number];
}

/** Every way in which a component can send a request, with every place from which a host can serve it. */
const CASES = FLAGS.flatMap((bubbles) => FLAGS.map((composed) => ({ bubbles, composed })))
  .flatMap((one) => ROOTS.map((root) => ({ ...one, root })))
  .flatMap((one) => SENDERS.map((at) => ({ ...one, at })))
  .flatMap((one) => PLACES.map((served): Case => ({ ...one, served })))
  // Events that are not composed end at their shadow root (DOM Standard): a host outside does not hear them.
  .filter(
    ({ composed, root, at, served }) =>
      composed || (at === 'component' && (root === 'none' || served === 'component')),
  );

/** The element that gets the response: what a host outside of a closed root sees is the element that has the root. */
function receiver({ root, served }: Case): string {
  return root === 'closed' && served !== 'component' ? 'outer' : 'component';
}

/**
 * Sends a request for each case: from a component, or from an element in its closed shadow root; the component
 * stands in another element's shadow root, or in none. Says who was asked for what, and who got the responses.
 */
function play(page: Page, cases: readonly Case[]) {
  return page.evaluate(async (cases) => {
    const outcomes: { handled: number; responses: string[] }[] = [];
    for (const { bubbles, composed, root, at, served } of cases) {
      const main = document.querySelector('main') ?? document.body;
      const make = (name: string) => document.createElement(name);
      const [outer, component, inside] = [make('section'), make('article'), make('p')];
      const places = { document, window, main, component };
      let handled = 0;
      const stop = window.host.serveData(places[served], async () => {
        handled += 1;
        return 'data';
      });
      main.append(outer);
      (root === 'none' ? outer : outer.attachShadow({ mode: root })).append(component);
      component.attachShadow({ mode: 'closed' }).append(inside);
      const responses: string[] = [];
      const asker = at === 'component' ? component : inside;
      const detail = { uri: 'https://pod.example/x', type: 'text' };
      const request = new CustomEvent('component-data-read', { detail, bubbles, composed });
      const answered = new Promise<void>((resolve) => {
        for (const [name, place] of Object.entries({ outer, component, inside })) {
          place.addEventListener('component-data-response', (event) => {
            const { cause, data } = (event as CustomEvent<{ cause: Event; data: unknown }>).detail;
            responses.push(`${name} ${data} ${cause === request}`);
            resolve();
          });
        }
      });
      asker.dispatchEvent(request);
      await answered;
      outcomes.push({ handled, responses });
      stop();
      outer.remove();
    }
    return outcomes;
  }, cases);
}

test('a request is answered once, where it came from, however it is sent, and wherever the host listens', async () => {
  const { page, complaints } = await hostPage();
  const outcomes = await play(page, CASES);
  const wrong = CASES.map((one, i) => ({ ...one, ...outcomes[i] })).filter(
    (one) => one.handled !== 1 || String(one.responses) !== `${receiver(one)} data true`,
  );
  expect(wrong).toEqual([]);
  expect(CASES).toHaveLength(60);
  expect(complaints).toEqual([]);
});
