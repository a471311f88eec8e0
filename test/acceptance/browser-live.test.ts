import type { Page, Request } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { visit } from '../support/browser/browser.js';
import { cleanup } from '../support/cleanup.js';
import { fakeServer } from '../support/fake-server.js';
import { heldPort } from '../support/held-port.js';
import { OPERATOR_TOKEN, sync } from '../support/node/node-reader.js';
import { postJson } from '../support/node/post-json.js';
import { turtle } from '../support/pod/fake-pod.js';
import { waitFor } from '../support/wait-for.js';
import { type InProcessNode, startInProcess } from './adapters/in-process-node.js';

const post = (node: InProcessNode, name: string) =>
  fetch(
    `${node.url}/component`,
    postJson({ uri: `https://c.example/${name}.js`, label: `Label of ${name}` }),
  );

async function readersOf(node: InProcessNode): Promise<number> {
  const text = await (await fetch(`${node.url}/metrics`)).text();
  return Number(/^registry_feed_readers (.*)$/m.exec(text)?.[1]);
}

/** A node that keeps its address over restarts. */
async function steadyNode(more: object = {}): Promise<InProcessNode> {
  const node = await startInProcess({
    config: { write: 'open', listen: { port: await heldPort() }, ...more },
  });
  await post(node, 'first');
  return node;
}

/** Opens a page in which time stands still: nothing is asked for because it is time to. */
async function visitWithoutTime(node: InProcessNode, path: string): Promise<Page> {
  const { page } = await visit('about:blank');
  await page.clock.install();
  // Clocks cannot go back, and on a busy machine it takes some time until this one is told.
  await page.clock.pauseAt(Date.now() + 60_000);
  await page.goto(node.url + path);
  // For half a second a page waits, so that hints that come fast are one request.
  await page.clock.runFor(500);
  return page;
}

/** Waits for what a page does before it is time to ask, which is after 2 s of its clock at the least. */
async function waitForHinted(page: Page, isDone: () => Promise<boolean>): Promise<void> {
  let ran = 0;
  await waitFor(async () => {
    await page.clock.runFor(10);
    ran += 10;
    return ran > 1_000 || isDone();
  });
  expect(ran).toBeLessThanOrEqual(1_000);
}

/** What the page says at its top: `1 component from …`. */
const count = async (page: Page) =>
  /^\d+ components?/.exec((await page.locator('#summary').textContent()) ?? '')?.[0];

describe('pages that are live by the line of events', () => {
  test('the network page shows a change before it is time to ask', async () => {
    const node = await steadyNode();
    const page = await visitWithoutTime(node, '/network');
    await waitFor(async () => (await readersOf(node)) === 1);
    expect(await count(page)).toBe('1 component');
    await post(node, 'second');
    await waitForHinted(page, async () => (await count(page)) === '2 components');
  });

  test('the results of a search follow', async () => {
    const node = await steadyNode();
    const { page, complaints } = await visit(`${node.url}/?q=label`);
    await waitFor(async () => (await readersOf(node)) === 1);
    await page.getByRole('heading', { name: '1 component found' }).waitFor();
    await post(node, 'second');
    await page.getByRole('heading', { name: '2 components found' }).waitFor();
    expect(new URL(page.url()).search).toBe('?q=label');
    expect(complaints).toEqual([]);
  });

  test('a page says at once that the node is away, and when it is back', async () => {
    const node = await steadyNode();
    const page = await visitWithoutTime(node, '/network');
    await waitFor(async () => (await readersOf(node)) === 1);
    await node.stop();
    const saysAway = async () => /does not answer/.test((await page.locator('#away').textContent()) ?? '');
    await waitForHinted(page, saysAway);
    await node.restart();
    await post(node, 'second');
    await waitFor(async () => {
      await page.clock.runFor(100);
      return (await count(page)) === '2 components';
    });
    expect(await page.locator('#live').textContent()).toBe('Live.');
  });

  test('the network page shows within seconds that a source fails, of which no line tells', async () => {
    const server = await fakeServer();
    cleanup(() => server.close());
    server.on('/a.ttl', { headers: { 'content-type': 'text/turtle' }, body: turtle('a') });
    const pods = [server.url('/a.ttl')];
    const node = await startInProcess({
      config: { pods, network: { allowPrivate: true }, sync: { schedule: '0 0 1 1 *' } },
      env: { REGISTRY_OPERATOR_TOKEN: OPERATOR_TOKEN },
    });
    await sync(node);
    const page = await visitWithoutTime(node, '/network');
    await waitFor(async () => (await readersOf(node)) === 1);
    const row = page.locator('#sources > li').filter({ hasText: server.url('/a.ttl') });
    await row.getByText('1 component').waitFor();
    server.on('/a.ttl', { status: 500 });
    await sync(node);
    // The page has a line, so it asks as it does when it has one: every few seconds, of its own clock.
    let [asked, answered, seconds] = [0, 0, 0];
    const isPage = (request: Request) => request.url() === `${node.url}/network`;
    page.on('request', (request) => {
      if (isPage(request)) asked++;
    });
    page.on('requestfinished', (request) => {
      if (isPage(request)) answered++;
    });
    const isAskedAgain = async () => {
      // Time stands still while it waits for an answer: a page that takes long is asked for less often.
      if (asked === answered) {
        await page.clock.runFor(100);
        seconds += 0.1;
      }
      return answered >= 3 || seconds > 60;
    };
    await waitFor(isAskedAgain);
    expect(seconds).toBeLessThan(20);
    await row.getByText('failing').waitFor();
  });

  test('a page that gets no line asks from time to time', async () => {
    const node = await steadyNode({ limits: { eventLines: 0 } });
    const page = await visitWithoutTime(node, '/network');
    await post(node, 'second');
    // It does not ask again before it has heard that there is no line.
    const hasAsked = async () => {
      await page.clock.runFor(500);
      return (await count(page)) === '2 components';
    };
    await waitFor(hasAsked);
  });

  test('a page that is not looked at has no line', async () => {
    const node = await steadyNode();
    const { page } = await visit(`${node.url}/network`);
    await waitFor(async () => (await readersOf(node)) === 1);
    const hide = (state: string) =>
      page.evaluate((visibility) => {
        Object.defineProperty(document, 'visibilityState', { value: visibility, configurable: true });
        document.dispatchEvent(new Event('visibilitychange'));
      }, state);
    await hide('hidden');
    await waitFor(async () => (await readersOf(node)) === 0);
    await hide('visible');
    await waitFor(async () => (await readersOf(node)) === 1);
  });
});
