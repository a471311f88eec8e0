import { beforeAll, describe, expect, test } from 'vitest';
import { expectGoodLooks, visit } from '../support/browser/browser.js';
import { type FakeServer, fakeServer } from '../support/fake-server.js';
import { call } from '../support/node/connection-node.js';
import { type InProcessNode, startInProcess } from './adapters/in-process-node.js';

const ALICE = 'https://alice.example/profile/card#me';
const PURPOSE = 'https://research.example/studies/sleep-and-screens';
const SLEEP = {
  name: 'Sleep and screens',
  sentence: 'We compare how long people sleep with how long they look at screens.',
  contact: 'sleep@research.example',
  privacy: 'https://research.example/privacy',
};
const encode = encodeURIComponent;

let node: InProcessNode;
let elsewhere: FakeServer;
beforeAll(async () => {
  node = await startInProcess({
    config: {
      ...{ connection: { enabled: true }, network: { allowPrivate: true } },
      invites: { purposes: { [PURPOSE]: SLEEP } },
    },
  });
  elsewhere = await fakeServer();
  elsewhere.on('/data', { headers: { 'content-type': 'text/turtle' }, body: '<#it> <urn:p> 1, 2 .' });
  elsewhere.on('/private', { status: 403 });
  // Opened here, the browser stays for all tests of this file.
  await visit(`${node.url}/health`);
});

async function invited(more: object = {}): Promise<{ uri: string; link: string }> {
  const { json } = await call(node, 'POST', '/invite/', {
    body: { holder: ALICE, purpose: PURPOSE, ...more },
  });
  const { inviteLink } = (await call(node, 'GET', `/invite/${encode(json.uri)}/link`)).json;
  return { uri: json.uri, link: inviteLink };
}

describe('the page behind an invite link', () => {
  test('is accepted with the keyboard alone, without scripts, at the second try, and ended again', async () => {
    const { uri, link } = await invited();
    const invite = async () => (await call(node, 'GET', `/invite/${encode(uri)}`)).json;
    const { page } = await visit(link, { javaScriptEnabled: false });
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    expect(await page.getByText(SLEEP.name).isVisible()).toBe(true);
    // The field has the focus from the beginning.
    await page.locator('#source:focus').waitFor();
    await page.keyboard.type(elsewhere.url('/private'));
    await page.keyboard.press('Enter');
    const alert = page.getByRole('alert');
    await alert.waitFor();
    expect(await alert.innerText()).toMatch(/does not let this node read it.*403/s);
    expect(await page.getByLabel('Your source').inputValue()).toBe(elsewhere.url('/private'));
    expect((await invite()).state).toBe('not linked');
    await page.locator('#source:focus').waitFor();
    await page.keyboard.press('ControlOrMeta+A');
    await page.keyboard.type(elsewhere.url('/data'));
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'You are connected' }).waitFor();
    expect(asked.every((url) => url.startsWith(node.url))).toBe(true);
    expect((await invite()).state).toBe('linked');

    // The same link leads back; one tap and a confirmation end it.
    await page.goto(link);
    await page.getByText('End it', { exact: true }).click();
    await page.getByRole('button', { name: 'Yes, end it now' }).click();
    await page.getByRole('heading', { name: 'This connection has ended' }).waitFor();
    expect((await invite()).connection).toBeNull();
  });
});

test('every page behind an invite link is accessible and fits, in light and dark', async () => {
  const { uri, link } = await invited({
    purpose: `${PURPOSE}?${'a-very-long-query-without-a-break'.repeat(4)}`,
  });
  const { page, complaints } = await visit(link);
  const check = (what: string) => expectGoodLooks(page, `invite-${what}`);
  await check('form');

  // The browser itself would not send this: it checks the field first.
  await page.locator('form').evaluate((form: HTMLFormElement) => {
    form.noValidate = true;
  });
  await page.getByLabel('Your source').fill('my pod');
  await page.getByRole('button').click();
  expect(await page.getByLabel('Your source').inputValue()).toBe('my pod');
  await check('fault');

  await page.getByLabel('Your source').fill(elsewhere.url('/private'));
  await page.getByRole('button', { name: 'Accept' }).click();
  await page.getByText('does not let this node read it').waitFor();
  await check('forbidden');

  await page.getByLabel('Your source').fill(elsewhere.url('/data'));
  await page.getByRole('button', { name: 'Accept' }).click();
  await page.getByRole('heading', { name: 'You are connected' }).waitFor();
  await check('done');

  await call(node, 'POST', '/resource/refresh');
  await page.goto(link);
  await page.getByText('End it', { exact: true }).click();
  await check('hers');
  await page.getByRole('button', { name: 'Yes, end it now' }).click();
  await check('ended');
  await page.goto(`${link}x`);
  await check('wrong');
  expect((await call(node, 'GET', `/invite/${encode(uri)}`)).json.connection).toBeNull();
  // Statuses of 4xx are complaints to a browser; nothing else is.
  expect(complaints.filter((said) => !/status of (404|409|422)/.test(said))).toEqual([]);
});
