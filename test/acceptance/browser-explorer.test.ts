import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { expectAccessible, expectGoodLooks, picture, visit } from '../support/browser/browser.js';
import { offerModule, strangerSite } from '../support/browser/browser-host.js';
import { fakeServer } from '../support/fake-server.js';
import { heldPort } from '../support/held-port.js';
import { publish, startExplorerNode } from '../support/node/explorer-node.js';
import { startNode } from '../support/node/node-process.js';
import { listedUris, OPERATOR_TOKEN, sync } from '../support/node/node-reader.js';
import { waitFor } from '../support/wait-for.js';
import { type InProcessNode, startInProcess } from './adapters/in-process-node.js';

let node: InProcessNode;
let podUrl: (path: string) => string;

beforeAll(async () => {
  ({ node, podUrl } = await startExplorerNode('explorer'));
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
    await page.getByText('1 address not read: waiting for the approval').waitFor();
    await expectGoodLooks(page, 'operator');
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByText('Nothing that peers told of.').waitFor();
    const decided = { who: 'operator', what: 'approved an address', subjects: [announced] };
    expect(gate.log).toContainEqual(expect.objectContaining({ audit: true, ...decided }));
    await waitFor(async () => (await listedUris(gate)).includes('https://c.example/new.js'));
    expect(complaints).toEqual([]);
  });
});

/** What the network page says of a source. */
const sourceIn = (page: Page, words: string) => page.locator('#sources > li').filter({ hasText: words });

const tryPath = (uri: string, entry: string) =>
  `/c/${encodeURIComponent(uri)}?${new URLSearchParams({ entry })}`;

describe('the network page', () => {
  test('shows the network as a picture without JavaScript, described in words', async () => {
    const { page } = await visit(`${node.url}/network`, { javaScriptEnabled: false });
    const drawing = page.getByRole('img', { name: 'The network, from the pods to this node' });
    await drawing.waitFor();
    expect(await page.locator('.legend').innerText()).toMatch(/some of it is not used\s+failing/);
  });

  test('follows the node, and keeps the focus while it changes', async () => {
    const { page } = await visit(`${node.url}/network`);
    await page.getByText('Live.').waitFor();
    expect(await sourceIn(page, 'what was posted here').count()).toBe(0);
    await publish(node, { uri: 'https://c.example/posted.js', label: 'Posted' });
    await sourceIn(page, 'what was posted here').getByText('1 component').waitFor();
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

describe('trying a component', () => {
  /** Publishes a component of a stranger on the node, and opens it in the sandbox. */
  async function tryHostile(file: string) {
    const modules = await strangerSite();
    const uri = await offerModule(modules, file);
    await publish(node, { uri, label: file });
    return visit(node.url + tryPath(uri, podUrl('data/groceries.ttl')));
  }

  const SHUT = ['cookies', 'storage', 'database', 'popup', 'status', 'post'].map((door) => `${door} shut`);
  const DOORS = ['parent shut', 'top shut', 'neighbours shut', ...SHUT, 'beacon open', 'image shut'];

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
    expect(await page.evaluate(() => document.querySelectorAll('.live').length)).toBe(3);
    await report.waitFor();
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
    await expectGoodLooks(page, 'component-example');
  });

  test('its frame cannot be opened as a page', async () => {
    const { page } = await tryHostile('hostile/burglar.js');
    const answer = await page.goto(node.url + (await page.locator('iframe').getAttribute('src')));
    expect(answer?.status()).toBe(403);
  });
});
