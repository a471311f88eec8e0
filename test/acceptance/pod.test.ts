import { beforeAll, expect, test } from 'vitest';
import { OPERATOR_TOKEN } from '../support/node/node-options.js';
import {
  component,
  listedUris,
  listing,
  metric,
  statusOf,
  sync,
  textOf,
} from '../support/node/node-reader.js';
import { postJson } from '../support/node/post-json.js';
import { turtle } from '../support/pod/fake-pod.js';
import type { Exchange, Pod } from '../support/pod/pod.js';
import { ALL_COMPONENTS, fillPod, PUBLIC_COMPONENTS, sampleText, urisIn } from '../support/pod/sample-pod.js';
import { sharedPod } from '../support/pod/shared-pod.js';
import { waitFor } from '../support/wait-for.js';
import { type InProcessNode, startInProcess } from './adapters/in-process-node.js';

const ADDRESS_BOOK = 'https://cdn.example.net/semcom/address-book.js';
const MONTH_VIEW_FILE = 'productivity/calendar/month-view.ttl';
const MONTH_VIEW = 'https://components.example.org/calendar/2.0.0-rc.1/month-view.js';
const PUBLIC = 'public on this node';

let server: Pod;
beforeAll(async () => {
  server = await sharedPod();
});

/** A node that has read a container once, with the credentials of its owner where it is given them. */
async function nodeReading(container: string, { withCredentials = false } = {}) {
  const { id, secret, issuer } = server.credentials;
  const auth = withCredentials ? { auth: { id: 'ALICE_ID', secret: 'ALICE_SECRET', issuer } } : {};
  const node = await startInProcess({
    config: { pods: [{ url: server.url + container, ...auth }] },
    env: { ALICE_ID: id, ALICE_SECRET: secret },
  });
  await sync(node);
  return node;
}

/** Requests for documents below the container since the last look; its listings are not documents. */
async function documentRequests(container: string): Promise<Exchange[]> {
  return (await server.take(container)).filter(({ path }) => !path.endsWith('/'));
}

function bodies(exchanges: readonly Exchange[]): string[] {
  return exchanges.filter(({ status, bytes }) => status === 200 && bytes > 0).map(({ path }) => path);
}

test('without credentials all but the private document is found; with them all, which is said; an idle poll moves no body', async () => {
  const container = 'reading/found/';
  await fillPod(server, container);
  await server.take(container);
  const stranger = await nodeReading(container);
  expect(await listedUris(stranger)).toEqual(PUBLIC_COMPONENTS);
  expect((await server.take(container)).filter(({ authenticated }) => authenticated)).toEqual([]);
  await stranger.stop();

  const node = await nodeReading(container, { withCredentials: true });
  expect(await listedUris(node)).toEqual(ALL_COMPONENTS);
  const said = JSON.stringify([node.log, await node.getJson('/status')]);
  for (const secret of [server.credentials.secret, OPERATOR_TOKEN]) expect(said).not.toContain(secret);
  await expectPrivacyTold(node, server.url + container);

  // A document that was edited in the second when it was read is read once more.
  await documentRequests(container);
  const isSettled = async () => {
    await sync(node);
    return bodies(await documentRequests(container)).length === 0;
  };
  await waitFor(isSettled, { describe: 'a poll that moves no body' });
  const { etag } = await listing(node);
  const asksForListings = async () => {
    await sync(node);
    const requests = await documentRequests(container);
    expect(bodies(requests)).toEqual([]);
    // A document that cannot be read is asked about again, conditionally.
    return requests.every(({ path }) => path.endsWith('/weather.ttl'));
  };
  await waitFor(asksForListings, { describe: 'a poll that asks for no document' });
  await node.stop();
  await node.start();
  expect(await listedUris(node)).toEqual(ALL_COMPONENTS);
  await sync(node);
  expect(bodies(await documentRequests(container))).toEqual([]);
  expect((await listing(node)).etag).toBe(etag);
});

/** That a private pod becomes public is said where its operator looks: in the log, on the page, in the status and by a rehearsal. */
async function expectPrivacyTold(node: InProcessNode, url: string): Promise<void> {
  const told = node.log.filter(({ msg }) => msg?.includes(PUBLIC));
  expect(told.map(({ level, source }) => [level, source])).toEqual([['info', url]]);
  expect(await statusOf(node, url)).toMatchObject({ private: true });
  expect((await textOf(node, '/network', 'text/html')).split(PUBLIC)).toHaveLength(2);
  const headers = { accept: 'text/plain', authorization: `Bearer ${OPERATOR_TOKEN}` };
  const rehearsed = await fetch(`${node.url}/rehearse`, postJson({ url }, headers));
  expect(await rehearsed.text()).toContain(`becomes ${PUBLIC}`);
}

test('an edit that the ETag of the container hides arrives; what is made private is withdrawn; a pod that is closed keeps what it said', async () => {
  const container = 'reading/changed/';
  const paths = ['address-book.ttl', MONTH_VIEW_FILE, 'medication-plan.ttl', 'recipe.ttl'];
  await fillPod(server, container, paths);
  const node = await nodeReading(container);
  /** Has the node poll until it is so. */
  const polled = (isSo: () => Promise<boolean>) =>
    waitFor(async () => {
      await sync(node);
      return isSo();
    });
  const found = (...of: string[]) => urisIn(of);
  expect(await listedUris(node)).toEqual(found('address-book.ttl', MONTH_VIEW_FILE, 'recipe.ttl'));
  const head = () => fetch(server.url + container, { method: 'HEAD' });
  const before = (await head()).headers.get('etag');
  const edit = async (path: string, from: string, to: string) =>
    server.put(container + path, (await sampleText(path)).replace(from, to), 'text/turtle');
  await edit('address-book.ttl', '"Address book"', '"Contacts"');
  await edit(MONTH_VIEW_FILE, '"Month view"', '"Month"');
  await polled(async () => (await component(node, ADDRESS_BOOK))?.label === 'Contacts');
  await polled(async () => (await component(node, MONTH_VIEW))?.label === 'Month');
  expect((await head()).headers.get('etag')).toBe(before);

  await server.makePrivate(`${container}address-book.ttl`);
  // As an edit of the document would, this shows in the listing; access rules alone do not.
  await edit('address-book.ttl', '"Address book"', '"Private"');
  await server.makePublic(`${container}medication-plan.ttl`);
  const left = found(MONTH_VIEW_FILE, 'medication-plan.ttl', 'recipe.ttl');
  await polled(async () => (await listedUris(node)).join() === left.join());

  // Everyone's access to the container goes, and with it every listing: only the operator drops a pod.
  await server.makePrivate(container);
  await polled(async () => (await statusOf(node, server.url + container)).state === 'failing');
  expect(await listedUris(node)).toEqual(left);
  await node.stop();
  await node.start({ config: {} });
  expect(await listedUris(node)).toEqual([]);
});

// Those of a public pod are what simulated pods tell, too (test/scenario/simulated-pod.test.ts).
test('edits, new documents and deletions in a private pod arrive without a poll', async () => {
  const container = 'reading/told/';
  const put = (name: string, text: string) => server.put(`${container}${name}.ttl`, text, 'text/turtle');
  const uri = (name: string) => `https://c.example/${name}.js`;
  await put('first', turtle('first'));
  const node = await nodeReading(container, { withCredentials: true });
  const hasLines = (count: number) =>
    waitFor(async () => (await metric(node, 'registry_hint_lines')) === count);
  const isCalled = (name: string, label: string) =>
    waitFor(async () => (await component(node, uri(name)))?.label === label);

  // One to the container, and one to its document.
  await hasLines(2);
  expect(await statusOf(node, server.url + container)).toMatchObject({ live: true });
  await put('first', turtle('first').replace('"first"', '"edited"'));
  await isCalled('first', 'edited');
  await put('second', turtle('second'));
  await isCalled('second', 'second');
  await hasLines(3);
  await put('second', turtle('second').replace('"second"', '"edited"'));
  await isCalled('second', 'edited');
  await server.remove(`${container}first.ttl`);
  await waitFor(async () => !(await listedUris(node)).includes(uri('first')));
});
