import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { strangerSite } from '../support/browser/browser-host.js';
import { visitHostPage } from '../support/browser/browser-host-app.js';
import type { FakeServer } from '../support/fake-server.js';
import { type InProcessNode, startInProcess } from './adapters/in-process-node.js';

let node: InProcessNode;
let site: FakeServer;

beforeAll(async () => {
  // It serves the host library, nothing else.
  node = await startInProcess();
  site = await strangerSite();
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
      const [outer, component, inside] = [
        document.createElement('section'),
        document.createElement('article'),
        document.createElement('p'),
      ];
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
      const request = new CustomEvent('component-data-read', {
        detail: { uri: 'https://pod.example/x', type: 'text' },
        bubbles,
        composed,
      });
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
  const { page, complaints } = await visitHostPage(site, node.url);
  const outcomes = await play(page, CASES);
  const wrong = CASES.map((one, i) => ({ ...one, ...outcomes[i] })).filter(
    (one) => one.handled !== 1 || String(one.responses) !== `${receiver(one)} data true`,
  );
  expect(wrong).toEqual([]);
  expect(CASES).toHaveLength(60);
  expect(complaints).toEqual([]);
});
