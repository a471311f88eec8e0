import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { expectAccessible, visit } from '../support/browser/browser.js';
import { LOGIN, type Pod } from '../support/pod/pod.js';
import { sharedPod } from '../support/pod/shared-pod.js';
import { type InProcessNode, NETWORKED, prepareInProcess } from './adapters/in-process-node.js';

const FOAF = 'http://xmlns.com/foaf/0.1/';

let pod: Pod;
let node: InProcessNode;
let peer: InProcessNode;
beforeAll(async () => {
  pod = await sharedPod();
  [node, peer] = await Promise.all([prepareInProcess(), prepareInProcess()]);
  // A second hint about one document would be heard a minute later: they poll, too.
  const settings = { ...NETWORKED, pins: 'off', sync: { streams: 200, schedule: '* * * * * *' } };
  await node.start({ config: { ...settings, pods: [`${pod.url}components/`], peers: [peer.url] } });
  // A peer that asks a node before it listens asks again much later.
  await peer.start({ config: { ...settings, peers: [node.url] } });
  await pod.put('modules/card.js', 'export default class extends HTMLElement {}', 'text/javascript');
  await pod.makePublic('modules/');
});

/** Waits for words above the nodes; when they do not come, says what the page says instead. */
async function waitForListing(page: Page, words: string): Promise<void> {
  const section = page.getByRole('region', { name: '4. Who lists it' });
  await expect.poll(() => section.innerText()).toContain(words);
}

async function signIn(page: Page): Promise<void> {
  const { email, password } = LOGIN;
  await page.getByLabel('Your WebID').fill(pod.webId);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.getByRole('button', { name: 'Authorize' }).click();
  await page.getByText('Signed in as').waitFor();
}

test('what is no provider, and no URL, is said to be none', async () => {
  const { page } = await visit(`${node.url}/publish`);
  await page.getByLabel('Your WebID').fill(`${node.url}/`);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText(`nobody can sign in at ${node.url}: `).waitFor();
  await page.getByLabel('URL of its module').fill(`${pod.url}modules/card.js`);
  await page.getByLabel('URL of the document').fill('rubbish');
  await page.getByRole('button', { name: 'It is there: look at it' }).click();
  await page.getByText('name the URL of the document').waitFor();
});

test('publishing into a pod: written, readable for everyone, listed by two nodes, edited, withdrawn; the node sees no token', async () => {
  const { page } = await visit(`${node.url}/publish`);
  const asked: { method: string; url: string; headers: Record<string, string>; body: string | null }[] = [];
  page.on('request', (request) => {
    const [method, url, headers] = [request.method(), request.url(), request.headers()];
    asked.push({ method, url, headers, body: request.postData() });
  });
  const tokens: string[] = [];
  page.on('response', async (response) => {
    if (!response.url().endsWith('/.oidc/token')) return;
    const { access_token, refresh_token, id_token } = (await response.json()) as Record<string, string>;
    tokens.push(...[access_token, refresh_token, id_token].filter((one) => one !== undefined));
  });
  const module = `${pod.url}modules/card.js`;
  const [findings, turtle] = [page.locator('#findings'), page.locator('#turtle')];
  const uri = page.getByLabel('URL of its module');
  // What is no address is not read as one of this page.
  await uri.fill('/publish');
  await page.getByLabel('Name', { exact: true }).fill('Profile card');
  await findings.getByText('URL of its module must').waitFor();
  expect(await page.getByLabel('Hash of the module').inputValue()).toBe('');
  await uri.fill(`${module}on`);
  await page.getByLabel('What data it renders').fill('Person');
  // All that is wrong stands in one list, and what is right in the document.
  for (const told of ['its server answers 404', 'What data it renders must', 'it has no description'])
    await findings.getByText(told).waitFor();
  expect(await turtle.textContent()).toContain('"Profile card"');
  await uri.fill(module);
  await page.getByLabel('What data it renders').fill('foaf:Person');
  await expect.poll(() => turtle.textContent()).toContain('semcom:integrity "sha384-');
  await expect.poll(() => findings.innerText()).not.toMatch(/404|must/);
  await signIn(page);
  expect(await page.getByLabel('What data it renders').inputValue()).toBe(`${FOAF}Person`);
  await page.locator('#address:focus').waitFor();
  await page.setViewportSize({ width: 320, height: 700 });
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320);
  await expectAccessible(page);
  await page.setViewportSize({ width: 1200, height: 900 });

  await expect.poll(() => page.getByLabel('URL of the document').inputValue()).toMatch(/\.ttl$/);
  await page.getByRole('button', { name: 'Write it into my pod' }).click();
  await page.getByText('not everybody can read the document').waitFor();
  const written = `${pod.url}components/profile-card.ttl`;
  expect((await fetch(written)).status).toBe(401);
  // Where its rules are is said; who may read is the owner's to say, and not this page's.
  await page.getByText(`acl:Read in its rules, ${written}.acl`).waitFor();
  await pod.makePublic('components/');
  await page.getByRole('button', { name: 'It is there: look at it' }).click();
  await waitForListing(page, '2 of 2 nodes list it as it is now');
  expect((await fetch(written)).status).toBe(200);
  // The next step: to look at it on each node.
  const pages = page.getByRole('region', { name: '4. Who lists it' }).getByRole('link');
  const addresses = await pages.evaluateAll((links) => links.map((one) => one.getAttribute('href')));
  expect(addresses).toEqual([node, peer].map(({ url }) => `${url}/c/${encodeURIComponent(module)}`));

  // Until its next poll of the peer, the node has the document of the peer, too.
  await page.getByRole('button', { name: 'Edit' }).first().click();
  await page.getByText('this component is unchanged').waitFor();
  await page.getByLabel('What it shows, in a sentence').fill('A person at a glance');
  await page.getByText('this component is changed: description').waitFor();
  const [renders, write] = [page.getByLabel('What data it renders'), page.locator('#write')];
  await renders.fill('Person');
  await expect.poll(() => write.isDisabled()).toBe(true);
  await renders.fill('foaf:Person');
  await expect.poll(() => write.isDisabled()).toBe(false);
  await write.click();
  await waitForListing(page, '2 of 2 nodes list it as it is now');
  const listed = await node.getJson<{ description?: string }>(`/c/${encodeURIComponent(module)}`);
  expect(listed.description).toBe('A person at a glance');

  page.once('dialog', (dialog) => dialog.accept());
  await page.getByRole('button', { name: 'Withdraw' }).first().click();
  await waitForListing(page, '2 of 2 nodes list it no more');
  expect((await fetch(written)).status).toBe(404);
  await page.getByRole('link', { name: 'Sign out' }).click();
  await page.locator('#sign-out').waitFor({ state: 'hidden' });

  const ofRules = asked.filter(({ url }) => url.endsWith('.acl')).map(({ method }) => method);
  expect(ofRules.filter((method) => !['GET', 'HEAD'].includes(method))).toEqual([]);
  await expect.poll(() => tokens.length).toBeGreaterThan(1);
  const toNodes = asked.filter(({ url }) => [node, peer].some((one) => url.startsWith(one.url)));
  const seen = JSON.stringify([toNodes, node.log, peer.log]);
  expect(toNodes.length).toBeGreaterThan(10);
  expect(tokens.filter((token) => seen.includes(token))).toEqual([]);
  expect(toNodes.filter(({ headers }) => 'authorization' in headers || 'dpop' in headers)).toEqual([]);
  expect(JSON.stringify(node.log)).not.toContain('code=');
});
