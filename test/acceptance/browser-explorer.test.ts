import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { expectAccessible, expectGoodLooks, visit } from '../support/browser/browser.js';
import { hurried, offerData, offerModule, offerScript, strangerSite } from '../support/browser/host-page.js';
import { fakeServer, inTurtle } from '../support/fake-server.js';
import { OPERATOR_TOKEN } from '../support/node/node-options.js';
import { listedUris, publish, sync } from '../support/node/node-reader.js';
import { fakePeer } from '../support/peer/fake-peer.js';
import { FakePod, turtle } from '../support/pod/fake-pod.js';
import { waitFor } from '../support/wait-for.js';
import { type InProcessNode, startInProcess } from './adapters/in-process-node.js';

let node: InProcessNode;
beforeAll(async () => {
  node = await startInProcess({ config: { write: 'open', network: { allowPrivate: true } } });
});

test('the operator approves an address that waits, without another tool; it is logged', async () => {
  const [peer, pod] = [await fakePeer(), await fakeServer()];
  const announced = pod.url('/announced.ttl');
  peer.storage = [announced];
  pod.on('/announced.ttl', inTurtle(turtle('new')));
  const gate = await startInProcess({
    config: { peers: [peer.url], discovery: { approve: true }, network: { allowPrivate: true } },
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
  const list = page.getByRole('region', { name: 'Addresses that are not read' });
  const approve = list.getByRole('button', { name: 'Approve' });
  const busy = { status: 503, body: JSON.stringify({ detail: 'Busy' }) };
  await page.route('**/discovery', (route) => route.fulfill(busy), { times: 1 });
  await approve.click();
  await list.getByText('Busy.', { exact: true }).waitFor();
  expect(complaints.splice(0)).toEqual([expect.stringContaining('503')]);
  await approve.click();
  await page.getByText('Nothing that peers told of.').waitFor();
  await list.getByText(`Done: Approve: ${announced}`).waitFor();
  const decided = { who: 'operator', what: 'approved an address', subjects: [announced] };
  expect(gate.log).toContainEqual(expect.objectContaining({ audit: true, ...decided }));
  await waitFor(async () => (await listedUris(gate)).includes('https://c.example/new.js'));
  expect(complaints).toEqual([]);
});

/** What the network page says of a source. */
const sourceIn = (page: Page, words: string) => page.locator('#sources > li').filter({ hasText: words });

test('the network page follows the node, keeps the focus while it changes, and says at once when the node is away', async () => {
  const pod = new FakePod(await fakeServer());
  pod.put('/pod/a.ttl', turtle('a'));
  const url = pod.server.url('/pod/');
  const own = await startInProcess({ config: { pods: [url], write: 'open' } });
  await sync(own);
  const { page } = await visit(`${own.url}/network`);
  await page.getByText('Live.').waitFor();
  const posted = sourceIn(page, 'what was posted here');
  expect(await posted.count()).toBe(0);
  await publish(own, { uri: 'https://c.example/posted.js', label: 'Posted' });
  await posted.getByText('1 component').waitFor();
  const ofPod = sourceIn(page, url);
  const link = ofPod.getByRole('link', { name: url, exact: true });
  await link.focus();
  const row = await link.evaluateHandle((one) => one.closest('li'));
  await sync(own);
  // The row is replaced by one that tells of the last poll.
  await waitFor(() => row.evaluate((one) => one?.isConnected === false));
  expect(await link.evaluate((one) => one === document.activeElement)).toBe(true);

  const state = ofPod.locator('.state');
  const colour = () => state.evaluate((one) => getComputedStyle(one).color);
  await state.getByText('ok').waitFor();
  const before = await colour();
  await own.stop();
  await page
    .getByRole('alert')
    .getByText(/^The node does not answer since/)
    .waitFor();
  // Nothing stays green.
  expect(await colour()).not.toBe(before);
  expect(await page.getByText('Live.').count()).toBe(0);
  await expectAccessible(page);
  await own.start();
  await hurried(page, () => page.getByRole('alert').waitFor({ state: 'hidden' }));
});

const SHUT = ['cookies', 'storage', 'database', 'popup', 'status', 'post'].map((door) => `${door} shut`);
/** What a component finds that looks for a way out of its frame. */
const DOORS = ['parent shut', 'top shut', 'neighbours shut', ...SHUT, 'beacon open', 'image shut'];
const doorsIn = (report: string | null) => report?.match(/\w+ (open|shut)/g);

test('among others on /data a component finds no door open, and one that hangs or leaves harms no other', async () => {
  const modules = await strangerSite();
  const data = offerData(modules, '/data.ttl', '<#it> a <urn:x:Target>; <urn:x:says> "treasure".');
  modules.on('/never', { hang: 'answer' });
  for (const file of ['burglar', 'hangs', 'leaves']) {
    const uri = await offerModule(modules, `hostile/${file}.js`);
    await publish(node, { uri, label: file, shapes: ['urn:x:Target'] });
  }
  const { page } = await visit(`${node.url}/data?${new URLSearchParams({ url: data })}`);
  const report = page.frameLocator('iframe[title="burglar, with your data"]').getByText('null origin');
  const place = (label: string) =>
    page.getByRole('listitem').filter({ has: page.getByRole('heading', { name: label }) });
  // Again and again: all frames begin anew where one of them hangs in between.
  const doors = async () => doorsIn(await report.textContent());
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

test('on its page a component shows the example that its author names, once the visitor wants what others serve', async () => {
  const modules = await strangerSite();
  const example = offerData(modules, '/data.ttl', '<#it> a <urn:x:Shown>.');
  const uri = await offerModule(modules, 'hostile/burglar.js');
  await publish(node, { uri, label: 'Guest', example });
  const { page } = await visit(`${node.url}/c/${encodeURIComponent(uri)}`);
  await page.getByRole('button', { name: 'Show it' }).waitFor();
  expect(modules.requests.map(({ url }) => url)).toEqual([]);
  await page.getByRole('link', { name: 'the data that its author names' }).waitFor();
  await page.getByRole('button', { name: 'Show it' }).press('Enter');
  const frame = page.locator('iframe[title="Guest, with example data"]');
  const report = frame.contentFrame().getByText('null origin');
  await report.waitFor();
  expect(doorsIn(await report.textContent())).toEqual(DOORS);
  await expectGoodLooks(page, 'component-example');
  // The frame cannot be opened as a page.
  const source = await frame.getAttribute('src');
  expect((await page.goto(node.url + source))?.status()).toBe(403);

  const blank = offerScript(modules, '/blank.js', 'export default class extends HTMLElement {}');
  await publish(node, { uri: blank, label: 'Blank', example });
  await page.goto(`${node.url}/c/${encodeURIComponent(blank)}`);
  await page.getByRole('button', { name: 'Show it' }).click();
  await page.getByText('Nothing is shown: it stays blank').waitFor();
});
