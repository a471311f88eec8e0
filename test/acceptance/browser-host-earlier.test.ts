import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { offerModule, strangerSite } from '../support/browser/browser-host.js';
import { visitHostPage } from '../support/browser/browser-host-app.js';
import type { FakeServer } from '../support/fake-server.js';
import { type InProcessNode, startInProcess } from './adapters/in-process-node.js';

let node: InProcessNode;
/** The site of the host application, with a component of the earlier SDK and its data. */
let site: FakeServer;
let module: string;

beforeAll(async () => {
  // It serves the host library, nothing else.
  node = await startInProcess();
  site = await strangerSite();
  module = await offerModule(site, 'earlier-sdk-card.js');
  const body = '<> <http://xmlns.com/foaf/0.1/name> "Alice Ardent".';
  site.on('GET /alice.ttl', { headers: { 'content-type': 'text/turtle' }, body });
});

describe('a component that was made with the earlier SDK', () => {
  const show = (page: Page, earlierEvents?: boolean) =>
    page.evaluate(
      async ([uri, earlierEvents]) => {
        const { loadComponent, serveData, solidData } = window.host;
        serveData(document, solidData(), earlierEvents === undefined ? {} : { earlierEvents });
        const element = document.createElement(await loadComponent({ uri, tag: ['card'] }));
        element.setAttribute('entry', '/alice.ttl');
        document.body.append(element);
      },
      [module, earlierEvents] as const,
    );

  test('is answered as it is', async () => {
    const { page, complaints } = await visitHostPage(site, node.url);
    await show(page);
    await page.getByRole('heading', { name: 'Alice Ardent' }).waitFor();
    expect(complaints).toEqual([]);
  });

  test('writes and appends, and its response has the data and the request', async () => {
    const { page } = await visitHostPage(site, node.url);
    const seen = await page.evaluate(async () => {
      const element = document.createElement('p');
      document.body.append(element);
      const asked: string[] = [];
      window.host.serveData(document, async ({ action, uri, data }) => {
        asked.push(`${action} ${uri} ${data}`);
        return data;
      });
      for (const action of ['write', 'append']) {
        const detail = { uri: 'https://pod.example/x', type: 'text', data: 'new' };
        const event = new CustomEvent(`semcom-data-${action}`, { bubbles: true, composed: true, detail });
        const response = new Promise<Event>((resolve) => {
          element.addEventListener('semcom-data-response', resolve, { once: true });
        });
        element.dispatchEvent(event);
        const { cause, success, data, uri, type } = ((await response) as CustomEvent).detail;
        asked.push(`${cause === event} ${success} ${data} ${uri} ${type}`);
      }
      return asked;
    });
    expect(seen).toEqual([
      'write https://pod.example/x new',
      'true true new https://pod.example/x text',
      'append https://pod.example/x new',
      'true true new https://pod.example/x text',
    ]);
  });

  test('is answered once, when the page has a host of the earlier SDK, too', async () => {
    const { page } = await visitHostPage(site, node.url);
    await page.evaluate(() => Object.assign(window, { done: [] }));
    for (const host of ['earlier', 'own'] as const) await page.evaluate(HOSTS[host]);
    const done = await page.evaluate(async () => {
      const element = document.createElement('p');
      document.body.append(element);
      const response = new Promise((resolve) => element.addEventListener('semcom-data-response', resolve));
      const detail = { uri: 'https://pod.example/x', type: 'text', data: 'new' };
      element.dispatchEvent(new CustomEvent('semcom-data-write', { bubbles: true, composed: true, detail }));
      await response;
      return window.done;
    });
    expect(done).toEqual(['earlier semcom-data-write']);
  });

  test('is left to another host where this one is told to', async () => {
    const { page } = await visitHostPage(site, node.url);
    await page.evaluate(() => {
      document.addEventListener('semcom-data-read', () => Object.assign(window, { left: true }));
    });
    await show(page, false);
    await page.waitForFunction(() => 'left' in window);
  });
});

/** Hosts of other makes, put into the page. Each tells what it has done. */
const HOSTS = {
  /** As the earlier SDK listens: it stops the event, and responds at what it saw as its target. */
  earlier: () => {
    const serve = async (event: Event) => {
      const { target } = event;
      event.stopPropagation();
      const { uri, type, data = 'read' } = (event as CustomEvent).detail;
      window.done.push(`earlier ${event.type}`);
      await Promise.resolve();
      const detail = { uri, type, data, success: true, cause: event };
      target?.dispatchEvent(
        new CustomEvent('semcom-data-response', { detail, bubbles: true, composed: true }),
      );
    };
    for (const action of ['read', 'write', 'append']) {
      document.addEventListener(`semcom-data-${action}`, serve);
    }
  },
  /** Written from the specification: it takes its time before it looks, and stops nothing. */
  slow: () => {
    const serve = async (event: Event) => {
      const { target } = event;
      await new Promise(requestAnimationFrame);
      const { uri, type, data = 'read' } = (event as CustomEvent).detail;
      window.done.push(`slow ${event.type}`);
      const detail = { uri, type, data, success: true, cause: event };
      target?.dispatchEvent(new CustomEvent('component-data-response', { detail }));
    };
    for (const action of ['read', 'write', 'append']) {
      document.addEventListener(`component-data-${action}`, serve);
    }
  },
  own: () => {
    window.host.serveData(document, async ({ action, data = 'read' }) => {
      window.done.push(`own ${action}`);
      return data;
    });
  },
};

declare global {
  interface Window {
    readonly done: string[];
  }
}

describe('ComponentElement', () => {
  /** Reads and writes once, from a component that stands in a closed shadow root; says what hosts did, and what came. */
  async function ask(...hosts: (keyof typeof HOSTS)[]) {
    const { page, complaints } = await visitHostPage(site, node.url);
    await page.evaluate(() => Object.assign(window, { done: [] }));
    for (const host of hosts) await page.evaluate(HOSTS[host]);
    const answers = await page.evaluate(async () => {
      class Asking extends window.host.ComponentElement {}
      customElements.define('asking-element', Asking);
      const [outer, element] = [document.createElement('section'), new Asking()];
      document.body.append(outer);
      outer.attachShadow({ mode: 'closed' }).append(element);
      const uri = 'https://pod.example/x';
      return [await element.readData(uri, 'text'), await element.writeData(uri, 'text', 'new')];
    });
    return { answers, done: await page.evaluate(() => window.done), complaints };
  }
  const answers = ['read', 'new'];

  test('is answered by a host with the earlier SDK', async () => {
    expect(await ask('earlier')).toEqual({
      answers,
      done: ['earlier semcom-data-read', 'earlier semcom-data-write'],
      complaints: [],
    });
  });

  test('asks by the names of the specification where a host knows both', async () => {
    expect(await ask('own')).toEqual({ answers, done: ['own read', 'own write'], complaints: [] });
    expect((await ask('own', 'earlier')).done).toEqual(['own read', 'own write']);
  });

  test('is never served twice, when two hosts know one name each', async () => {
    const { answers: got, done } = await ask('slow', 'earlier');
    expect(got).toEqual(answers);
    expect(done).toEqual(['earlier semcom-data-read', 'earlier semcom-data-write']);
  });
});
