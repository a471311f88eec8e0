import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { FrameLocator, Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { expectAccessible, expectGoodLooks, picture, visit } from '../support/browser/browser.js';
import { offerModule, strangerSite } from '../support/browser/browser-host.js';
import { cleanup } from '../support/cleanup.js';
import { fakeServer } from '../support/fake-server.js';
import { heldPort } from '../support/held-port.js';
import { publish, startExplorerNode } from '../support/node/explorer-node.js';
import { startNode } from '../support/node/node-process.js';
import { listedUris, OPERATOR_TOKEN, sync } from '../support/node/node-reader.js';
import type { SharedPod } from '../support/pod/shared-pod.js';
import { waitFor } from '../support/wait-for.js';
import { type InProcessNode, startInProcess } from './adapters/in-process-node.js';

let pod: SharedPod;
let node: InProcessNode;
let podUrl: (path: string) => string;

beforeAll(async () => {
  ({ node, pod, podUrl } = await startExplorerNode('explorer'));
});

describe('the desk of the operator', () => {
  test('approves an address that waits, without another tool; it is logged', async () => {
    const peer = await fakeServer();
    const json = (body: unknown) => ({
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const announced = peer.url('/announced.ttl');
    const label = '<https://c.example/new.js> <http://semcom.digita.ai/voc#label> "New".';
    peer
      .on('/peers', json([]))
      .on('/component', json([]))
      .on('/storage', json([announced]));
    peer.on('/announced.ttl', { headers: { 'content-type': 'text/turtle' }, body: label });
    const gate = await startInProcess({
      config: { peers: [peer.url('')], discovery: { approve: true }, network: { allowPrivate: true } },
      env: { REGISTRY_OPERATOR_TOKEN: OPERATOR_TOKEN },
    });
    await sync(gate);
    const { page, complaints } = await visit(`${gate.url}/network`);
    const token = page.getByLabel('Your token');
    await token.fill('wrong');
    await page.keyboard.press('Enter');
    await page.getByText('This is not the operator token of this node.').waitFor();
    await expect.poll(() => complaints).toEqual([expect.stringContaining('403')]);
    complaints.length = 0;
    await token.fill(OPERATOR_TOKEN);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Waiting for approval (1)' }).waitFor();
    await page.getByRole('button', { name: 'Rehearse' }).first().click();
    await page.getByLabel('The rehearsal').getByText('https://c.example/new.js').waitFor();
    for (const { name, ...look } of LOOKS) {
      await page.emulateMedia({ colorScheme: look.colorScheme });
      await page.setViewportSize(look.viewport);
      if (name.includes('dark')) await expectAccessible(page);
      await picture(page, `operator-${name}`);
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      expect(overflow).toBeLessThanOrEqual(0);
    }
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByRole('heading', { name: 'Waiting for approval' }).waitFor({ state: 'hidden' });
    await page.getByText('Nothing waits for you.').waitFor();
    const decided = { who: 'operator', what: 'approved an address', subjects: [announced] };
    expect(gate.log).toContainEqual(expect.objectContaining({ audit: true, ...decided }));
    await waitFor(async () => (await listedUris(gate)).includes('https://c.example/new.js'));
    expect(complaints).toEqual([]);
  });
});

/** Both colour schemes, on a screen and on a telephone. */
const LOOKS = [
  { name: 'light-wide', colorScheme: 'light', viewport: { width: 1280, height: 800 } },
  { name: 'dark-wide', colorScheme: 'dark', viewport: { width: 1280, height: 800 } },
  { name: 'light-narrow', colorScheme: 'light', viewport: { width: 320, height: 640 } },
  { name: 'dark-narrow', colorScheme: 'dark', viewport: { width: 320, height: 640 } },
] as const;

/** What the network page says of a source. */
const sourceIn = (page: Page, words: string) => page.locator('#sources > li').filter({ hasText: words });

const tryPath = (uri: string, entry: string) =>
  `/c/${encodeURIComponent(uri)}?${new URLSearchParams({ entry })}`;

describe('the network page', () => {
  test('follows the node: rows, reasons, counts and events', async () => {
    const { page, complaints } = await visit(`${node.url}/network`);
    const broken = sourceIn(page, 'http://127.0.0.1:9/').filter({ hasText: 'failing' });
    await broken
      .first()
      .getByText(/^since/)
      .waitFor();
    await pod.put(
      'explorer/components/late.ttl',
      '<late.js> <http://semcom.digita.ai/voc#label> "Late". <javascript:x> <http://semcom.digita.ai/voc#label> "Bad".',
      'text/turtle',
    );
    const row = sourceIn(page, podUrl('components/'));
    // One description and one document of the pod cannot be used.
    await row.getByText('some of it is not used').waitFor();
    await row.getByText('13 components').waitFor();
    await page.getByRole('link', { name: '2 refused' }).waitFor();
    await sync(node);
    await row.getByText('14 components').waitFor();
    await page.getByRole('link', { name: '3 refused' }).waitFor();
    await page.getByText('javascript:x').waitFor();
    await page.getByText('Live.').waitFor();
    // Nothing was posted so far: what appears is a new row.
    expect(await sourceIn(page, 'this node').count()).toBe(0);
    await publish(node, { uri: 'https://c.example/posted.js', label: 'Posted' });
    await sourceIn(page, 'what was posted here').getByText('1 component').waitFor();
    await expectAccessible(page);
    await picture(page, 'network-live');
    expect(complaints).toEqual([]);
  });

  test('shows the network as a picture without JavaScript, described in words', async () => {
    const { page } = await visit(`${node.url}/network`, { javaScriptEnabled: false });
    const drawing = page.getByRole('img', { name: 'The network, from the pods to this node' });
    await drawing.waitFor();
    expect(await drawing.locator('desc').textContent()).toBe(
      'This node reads 2 pods and 1 node; 2 of them fail. The list below says the same of each.',
    );
    expect(await page.locator('.legend').innerText()).toMatch(/some of it is not used\s+failing/);
  });

  test('keeps the focus while it changes', async () => {
    const { page } = await visit(`${node.url}/network`);
    const link = sourceIn(page, podUrl('components/')).getByRole('link', {
      name: podUrl('components/'),
      exact: true,
    });
    await link.focus();
    const row = await link.evaluateHandle((one) => one.closest('li'));
    await sync(node);
    // The row is replaced by one that tells of the last poll.
    await waitFor(() => row.evaluate((one) => one?.isConnected === false));
    expect(await link.evaluate((one) => one === document.activeElement)).toBe(true);
  });

  test('says at once when the node is away: nothing stays green', async () => {
    const listen = { port: await heldPort() };
    const away = await startNode({ config: { listen, pods: [podUrl('components/')] } });
    const { page } = await visit(`${away.url}/network`);
    const state = sourceIn(page, podUrl('components/')).locator('.state');
    const colour = () => state.evaluate((one) => getComputedStyle(one).color);
    await state.getByText('ok').waitFor();
    const before = await colour();
    await away.kill();
    await page
      .getByRole('alert')
      .getByText(/^The node does not answer since/)
      .waitFor();
    expect(await colour()).not.toBe(before);
    expect(await page.getByText('Live.').count()).toBe(0);
    await picture(page, 'network-away');
    await expectAccessible(page);
    await away.restart();
    await page.getByRole('alert').waitFor({ state: 'hidden' });
  });
});

/** The node behind an address where it never hears of `Sec-Fetch-Dest`, as from browsers that do not send it. */
async function withoutMetadata(): Promise<string> {
  const proxy = createServer(async ({ url }, answer) => {
    const { status, headers, body } = await request(node.url + url);
    answer.writeHead(status, headers).end(body);
  });
  cleanup(() => proxy.close());
  await once(proxy.listen(0, '127.0.0.1'), 'listening');
  return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
}

async function request(url: string) {
  const answer = await fetch(url, { headers: { 'accept-encoding': 'identity' } });
  return { status: answer.status, headers: Object.fromEntries(answer.headers), body: await answer.text() };
}

describe('trying a component', () => {
  /** Publishes a component of a stranger on the node, and opens it in the sandbox. */
  async function tryHostile(file: string) {
    const modules = await strangerSite();
    const uri = await offerModule(modules, file);
    await publish(node, { uri, label: file });
    return visit(node.url + tryPath(uri, podUrl('data/groceries.ttl')));
  }

  /** What the burglar reports, and what the node was asked for meanwhile. */
  async function burgle(enter: (page: Page) => Promise<FrameLocator | Page>) {
    const { page } = await tryHostile('hostile/burglar.js');
    const asked: string[] = [];
    page.on('response', (response) => asked.push(new URL(response.url()).pathname));
    const report = (await enter(page)).getByText('null origin');
    await report.waitFor();
    return { page, asked, doors: (await report.textContent())?.match(/\w+ (open|shut)/g) };
  }
  const SHUT = ['cookies', 'storage', 'database', 'popup', 'status', 'post'].map((door) => `${door} shut`);
  const DOORS = ['parent shut', 'top shut', 'neighbours shut', ...SHUT, 'beacon open', 'image shut'];
  const FRAME = ['/frame', '/hostile/burglar.js'];

  test('it finds no door out of the sandbox', async () => {
    const { page, asked, doors } = await burgle(async (page) => {
      await page.reload();
      return page.frameLocator('iframe');
    });
    expect(doors).toEqual(DOORS);
    // A beacon always seems to leave; this one has not.
    expect(
      asked.filter(
        (path) => !path.startsWith('/c/') && !path.startsWith('/assets/') && !FRAME.includes(path),
      ),
    ).toEqual([]);
    await page.getByRole('heading', { name: 'With your data' }).waitFor();
  });

  test('among others on /data: no door is open, and one that hangs or leaves harms no other', async () => {
    const modules = await strangerSite();
    const data = '<#it> a <urn:x:Target>; <urn:x:says> "treasure".';
    modules.on('/data.ttl', {
      headers: { 'content-type': 'text/turtle', 'access-control-allow-origin': '*' },
      body: data,
    });
    for (const file of ['burglar', 'hangs', 'leaves']) {
      const uri = await offerModule(modules, `hostile/${file}.js`);
      await publish(node, { uri, label: file, shapes: ['urn:x:Target'] });
    }
    const { page } = await visit(
      `${node.url}/data?${new URLSearchParams({ url: modules.url('/data.ttl') })}`,
    );
    const frame = (label: string) => page.frameLocator(`iframe[title="${label}, with your data"]`);
    const place = (label: string) =>
      page.getByRole('listitem').filter({ has: page.getByRole('heading', { name: label }) });
    const report = frame('burglar').getByText('null origin');
    // Again and again: all frames begin anew where one of them hangs in between.
    const doors = async () => (await report.textContent())?.match(/\w+ (open|shut)/g);
    await expect.poll(() => doors().catch(() => undefined)).toEqual(DOORS);
    // Whoever hangs has not taken the page with it, and goes; the others begin again, below nobody who failed.
    await place('hangs').getByText('Nothing is shown: it has stopped answering').waitFor();
    expect(await page.evaluate(() => document.querySelectorAll('.live').length)).toBe(4);
    await report.waitFor();
    await frame('Data table').getByRole('row', { name: 'says treasure' }).waitFor();
    await place('leaves').getByText('Nothing is shown: it has stopped').waitFor();
    const names = await page.getByRole('heading', { level: 3 }).allTextContents();
    expect(names.slice(-2).sort()).toEqual(['hangs', 'leaves']);
    expect(modules.requests.filter(({ url }) => url.includes('stolen'))).toEqual([]);
    expect(new URL(page.url()).pathname).toBe('/data');
    await expectAccessible(page);
  });

  test('on its page, with the example that its author names, once the visitor wants what others serve', async () => {
    const modules = await strangerSite();
    const example = modules.url('/data.ttl');
    modules.on('/data.ttl', {
      headers: { 'content-type': 'text/turtle', 'access-control-allow-origin': '*' },
      body: '<#it> a <urn:x:Shown>.',
    });
    const uri = await offerModule(modules, 'hostile/burglar.js');
    await publish(node, { uri, label: 'Guest', example });
    const { page } = await visit(`${node.url}/c/${encodeURIComponent(uri)}`);
    await page.getByRole('button', { name: 'Show it' }).waitFor();
    expect(modules.requests.map(({ url }) => url)).toEqual([]);
    await page.getByRole('link', { name: 'the data that its author names' }).waitFor();
    await page.getByRole('button', { name: 'Show it' }).press('Enter');
    const report = page.frameLocator('iframe[title="Guest, with example data"]').getByText('null origin');
    await report.waitFor();
    expect((await report.textContent())?.match(/\w+ (open|shut)/g)).toEqual(DOORS);
    const blank = modules.url('/blank.js');
    modules.on('/blank.js', {
      headers: { 'content-type': 'text/javascript', 'access-control-allow-origin': '*' },
      body: 'export default class extends HTMLElement {}',
    });
    await publish(node, { uri: blank, label: 'Blank', example });
    await page.goto(`${node.url}/c/${encodeURIComponent(blank)}`);
    await page.getByRole('button', { name: 'Show it' }).click();
    await page.getByText('Nothing is shown: it stays blank').waitFor();
    // What the node itself serves is shown at once, with data of its shape.
    await page.goto(`${node.url}/c/${encodeURIComponent(`${node.url}/data-table.js`)}`);
    const table = page.frameLocator('iframe[title="Data table, with example data"]');
    await table.getByRole('row', { name: 'nick Ann', exact: true }).waitFor();
    await expectGoodLooks(page, 'component-example');
  });

  test('its frame cannot be opened as a page', async () => {
    const { page } = await tryHostile('hostile/burglar.js');
    const answer = await page.goto(node.url + (await page.locator('iframe').getAttribute('src')));
    expect(answer?.status()).toBe(403);
  });

  test('not even where the browser does not say that it opens a page', async () => {
    const { page } = await tryHostile('hostile/burglar.js');
    await page.goto((await withoutMetadata()) + (await page.locator('iframe').getAttribute('src')));
    await page.getByRole('alert').getByText('in a frame on a page of its node only').waitFor();
    expect(await page.getByText('null origin').count()).toBe(0);
  });

  test('it may read and not write, and the visitor sees what it asks for', async () => {
    const uri = podUrl('components/samples/editable-list.js');
    const { page } = await visit(node.url + tryPath(uri, podUrl('data/groceries.ttl')));
    const frame = page.frameLocator('iframe');
    await frame.getByRole('textbox', { name: 'New item' }).fill('Cake');
    await frame.getByRole('button', { name: 'Add' }).click();
    await frame.getByText('The item could not be added.').waitFor();
    await frame.getByText(/^read .*groceries.ttl as quads: answered$/).waitFor();
    await frame
      .getByText(/^append .* as quads: refused: nothing is written while a component is tried$/)
      .waitFor();
  });

  test('a module with other bytes than were pinned is shown, and the visitor is told', async () => {
    const modules = await strangerSite();
    const uri = await offerModule(modules, 'hostile/burglar.js');
    await publish(node, { uri, label: 'Other bytes', integrity: `sha384-${'A'.repeat(64)}` });
    const { page } = await visit(node.url + tryPath(uri, podUrl('data/groceries.ttl')));
    const frame = page.frameLocator('iframe');
    await frame.getByRole('alert').getByText('These are not the bytes that were pinned').waitFor();
    await frame.getByText('null origin').waitFor();
    await expectGoodLooks(page, 'try-other-bytes');
  });

  test('a module that fails says so in the frame', async () => {
    const { page } = await tryHostile('hostile/throws.js');
    await page.frameLocator('iframe').getByRole('alert').getByText('no luck today').waitFor();
  });
});

test('an author has a document checked, and is told what to correct', async () => {
  const { page, complaints } = await visit(`${node.url}/publish`);
  await page.getByLabel('URL of the description').fill(podUrl('components/samples/profile-card.ttl'));
  await page.getByRole('button', { name: 'Check' }).click();
  await page.getByRole('heading', { name: 'Nothing stands in the way' }).waitFor();
  await page.getByText('it is served as text/javascript').waitFor();
  await picture(page, 'lint-good');
  await expectAccessible(page);
  await page.getByLabel('URL of the description').fill(podUrl('components/photo-gallery.jsonld'));
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: '2 things to correct' }).waitFor();
  await picture(page, 'lint-bad');
  expect(complaints).toEqual([]);
});

test('an author sees what became of an edit', async () => {
  const document = 'explorer/components/receipt.ttl';
  const describe = (label: string) =>
    pod.put(document, `<receipt.js> <http://semcom.digita.ai/voc#label> "${label}".`, 'text/turtle');
  await describe('First');
  await sync(node);
  const { page, complaints } = await visit(`${node.url}/network`);
  await sourceIn(page, podUrl('components/'))
    .getByRole('link', { name: /documents$/ })
    .click();
  await page.getByRole('link', { name: 'receipt.ttl' }).click();
  await page.getByRole('heading', { name: 'It describes 1 component' }).waitFor();
  await page.getByRole('heading', { name: 'First' }).waitFor();
  await expectAccessible(page);
  await describe('Second');
  // A poll that was under way already may have read the document before.
  await waitFor(async () => {
    await sync(node);
    await page.reload();
    return page.getByRole('heading', { name: 'Second' }).isVisible();
  });
  await page.getByRole('button', { name: 'Check it as it is now' }).click();
  await page.getByRole('heading', { name: /to correct/ }).waitFor();
  expect(complaints).toEqual([]);
});
