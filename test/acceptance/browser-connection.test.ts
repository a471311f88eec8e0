import { beforeAll, expect, test } from 'vitest';
import { expectGoodLooks, visit } from '../support/browser/browser.js';
import { type FakeServer, fakeServer } from '../support/fake-server.js';
import { call } from '../support/node/connection-node.js';
import { type InProcessNode, startInProcess } from './adapters/in-process-node.js';

const ALICE = 'https://alice.example/profile/card#me';
const PURPOSE = `https://research.example/?${'a-very-long-query-without-a-break'.repeat(4)}`;

let node: InProcessNode;
let elsewhere: FakeServer;
beforeAll(async () => {
  node = await startInProcess({
    config: { connection: { enabled: true }, network: { allowPrivate: true } },
  });
  elsewhere = await fakeServer();
  elsewhere.on('/data', { headers: { 'content-type': 'text/turtle' }, body: '<#it> <urn:p> 1, 2 .' });
  elsewhere.on('/private', { status: 403 });
});

test('an invite is accepted with the keyboard alone, at the third try, and ended again; all pages are accessible and fit', async () => {
  const body = { holder: ALICE, purpose: PURPOSE };
  const { uri } = (await call(node, 'POST', '/invite/', { body })).json;
  const path = `/invite/${encodeURIComponent(uri)}`;
  const invite = async () => (await call(node, 'GET', path)).json;
  const link = (await call(node, 'GET', `${path}/link`)).json.inviteLink;
  const { page, complaints } = await visit(link);
  const asked: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  const look = (what: string) => expectGoodLooks(page, `invite-${what}`);
  /** Writes the source into the field, which has the focus from the beginning, and sends the form by these keys. */
  const send = async (source: string, ...keys: string[]) => {
    await page.locator('#source:focus').waitFor();
    await page.keyboard.press('ControlOrMeta+A');
    await page.keyboard.type(source);
    for (const key of keys) await page.keyboard.press(key);
  };
  const alert = page.getByRole('alert');
  await look('form');

  // The browser itself would not send this: it checks the field first.
  await page.locator('form').evaluate((form: HTMLFormElement) => {
    form.noValidate = true;
  });
  await send('my pod', 'Enter');
  await alert.waitFor();
  expect(await page.getByLabel('Your source').inputValue()).toBe('my pod');
  await look('fault');
  await send(elsewhere.url('/private'), 'Enter');
  await alert.getByText('does not let this node read it').waitFor();
  expect(await page.getByLabel('Your source').inputValue()).toBe(elsewhere.url('/private'));
  expect((await invite()).state).toBe('not linked');
  await send(elsewhere.url('/data'), 'Tab', 'Enter');
  await page.getByRole('heading', { name: 'You are connected' }).waitFor();
  expect((await invite()).state).toBe('linked');
  await look('done');

  // The same link leads back; one tap and a confirmation end it.
  await call(node, 'POST', '/resource/refresh');
  await page.goto(link);
  await page.getByText('End it', { exact: true }).click();
  await look('hers');
  await page.getByRole('button', { name: 'Yes, end it now' }).click();
  await page.getByRole('heading', { name: 'This connection has ended' }).waitFor();
  expect((await invite()).connection).toBeNull();
  await look('ended');
  await page.goto(`${link}x`);
  await look('wrong');
  expect(asked.every((url) => url.startsWith(node.url))).toBe(true);
  // Statuses of 4xx are complaints to a browser; nothing else is.
  expect(complaints.filter((said) => !/status of (404|409|422)/.test(said))).toEqual([]);
});
