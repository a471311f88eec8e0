import { beforeAll, describe, expect, test } from 'vitest';
import { heldPort } from '../support/held-port.js';
import type { NodeOptions } from '../support/node/node-process.js';
import {
  component,
  listedUris,
  listing,
  OPERATOR_TOKEN,
  statusOf,
  sync,
} from '../support/node/node-reader.js';
import {
  ALL_COMPONENTS,
  fillPod,
  PUBLIC_COMPONENTS,
  sampleDocuments,
  sampleText,
  urisIn,
} from '../support/pod/sample-pod.js';
import { SharedPod } from '../support/pod/shared-pod.js';
import type { Exchange } from '../support/proxy/recording-proxy.js';
import { waitFor } from '../support/wait-for.js';
import { type InProcessNode, startInProcess } from './adapters/in-process-node.js';

/** Never due by itself within a test: polls happen at the start and when the operator asks. */
const ON_DEMAND = '0 0 1 1 *';
const ADDRESS_BOOK = 'https://cdn.example.net/semcom/address-book.js';
const MONTH_VIEW_FILE = 'productivity/calendar/month-view.ttl';
const MONTH_VIEW = 'https://components.example.org/calendar/2.0.0-rc.1/month-view.js';

type Auth = 'anonymous' | 'credentials';

let server: SharedPod;
beforeAll(async () => {
  server = await SharedPod.open('reading');
});

/** Each test has a container of its own in the pod, with the documents that it needs in it: a pod server takes its time for each. */
async function sampleContainer(name: string, paths?: readonly string[]): Promise<string> {
  await fillPod(server, `reading/${name}/`, sampleDocuments(paths));
  return `reading/${name}/`;
}

/** What everyone finds in these documents. */
const publicIn = (...paths: string[]) => urisIn(sampleDocuments(paths));

async function optionsFor(container: string, auth: Auth, schedule: string): Promise<NodeOptions> {
  const { id, secret, issuer } = server.credentials('reading');
  const pod = { url: server.url + container };
  const named = { ...pod, auth: { id: 'ALICE_ID', secret: 'ALICE_SECRET', issuer } };
  return {
    config: {
      // The same after a restart: what a node serves carries its address.
      listen: { port: await heldPort() },
      pods: [auth === 'credentials' ? named : pod],
      sync: { schedule },
    },
    env: { REGISTRY_OPERATOR_TOKEN: OPERATOR_TOKEN, ALICE_ID: id, ALICE_SECRET: secret },
  };
}

/** A node that has read the container once. */
async function nodeReading(
  container: string,
  {
    auth = 'anonymous',
    schedule = ON_DEMAND,
  }: { auth?: 'anonymous' | 'credentials'; schedule?: string } = {},
): Promise<InProcessNode> {
  const node = await startInProcess(await optionsFor(container, auth, schedule));
  await sync(node);
  return node;
}

/** Requests for documents below the container since the last look; its listings are not documents. */
async function documentRequests(container: string): Promise<Exchange[]> {
  return (await server.take()).filter(({ path }) => path.startsWith(`/${container}`) && !path.endsWith('/'));
}

/** Polls until nothing is sent again. A document that was edited in the second when it was read is read once more. */
async function settled(node: InProcessNode, container: string): Promise<void> {
  await documentRequests(container);
  await waitFor(
    async () => {
      await sync(node);
      return bodies(await documentRequests(container)).length === 0;
    },
    { describe: 'a poll that moves no body' },
  );
}

function bodies(exchanges: readonly Exchange[]): string[] {
  return exchanges.filter(({ status, bytes }) => status === 200 && bytes > 0).map(({ path }) => path);
}

describe('what is found in a pod', () => {
  let container: string;
  /** Has no credentials. */
  let node: InProcessNode;
  beforeAll(async () => {
    container = await sampleContainer('found');
    await server.take();
    node = await nodeReading(container);
  });

  test('without credentials: everything but the private document', async () => {
    expect(await listedUris(node)).toEqual(PUBLIC_COMPONENTS);
    expect((await server.take()).filter(({ authenticated }) => authenticated)).toEqual([]);
  });

  test('with credentials: the private document too', async () => {
    const trusted = await nodeReading(container, { auth: 'credentials' });
    expect(await listedUris(trusted)).toEqual(ALL_COMPONENTS);
    const said = JSON.stringify([trusted.log, await trusted.getJson('/status')]);
    for (const secret of [server.credentials('reading').secret, OPERATOR_TOKEN])
      expect(said).not.toContain(secret);
  });
});

describe('what changes in a pod', () => {
  test('an edit that the ETag of the container hides arrives on schedule', async () => {
    const container = await sampleContainer('edited', ['address-book.ttl', MONTH_VIEW_FILE]);
    const node = await nodeReading(container, { schedule: '* * * * * *' });
    const head = () => fetch(server.url + container, { method: 'HEAD' });
    const before = (await head()).headers.get('etag');

    const edited = (await sampleText('address-book.ttl')).replace('"Address book"', '"Contacts"');
    await server.put(`${container}address-book.ttl`, edited, 'text/turtle');
    await server.put(
      container + MONTH_VIEW_FILE,
      (await sampleText(MONTH_VIEW_FILE)).replace('"Month view"', '"Month"'),
      'text/turtle',
    );

    await waitFor(async () => (await component(node, ADDRESS_BOOK))?.label === 'Contacts');
    await waitFor(async () => (await component(node, MONTH_VIEW))?.label === 'Month');
    expect((await head()).headers.get('etag')).toBe(before);
    expect(await listedUris(node)).toEqual(publicIn('address-book.ttl', MONTH_VIEW_FILE));
  });

  test('what its author makes private is withdrawn, and what is opened arrives, though nothing in the listing tells', async () => {
    const container = await sampleContainer('rules', [
      'address-book.ttl',
      'medication-plan.ttl',
      'recipe.ttl',
    ]);
    const node = await nodeReading(container);
    expect(await listedUris(node)).toEqual(publicIn('address-book.ttl', 'recipe.ttl'));
    await server.makePrivate(`${container}address-book.ttl`);
    // As an edit of the document would, this shows in the listing; access rules alone do not.
    await server.put(`${container}address-book.ttl`, await sampleText('address-book.ttl'), 'text/turtle');
    await server.makePublic(`${container}medication-plan.ttl`);
    await sync(node);
    expect(await listedUris(node)).toEqual(
      urisIn(sampleDocuments(['medication-plan.ttl', 'recipe.ttl']), true),
    );
  });
});

describe('what polling costs', () => {
  /** In a container below another, private, broken, and as most are. */
  const NESTED = ['address-book.ttl', MONTH_VIEW_FILE, 'medication-plan.ttl', 'weather.ttl'];

  test('an idle poll moves no document bodies, and soon asks for listings only, also after a restart', async () => {
    const container = await sampleContainer('idle', NESTED);
    const node = await nodeReading(container, { auth: 'credentials' });
    await settled(node, container);
    const { etag } = await listing(node);
    await waitFor(
      async () => {
        await sync(node);
        const requests = await documentRequests(container);
        expect(bodies(requests)).toEqual([]);
        // A document that cannot be read is asked about again, conditionally.
        return requests.every(({ path }) => path === `/${container}weather.ttl`);
      },
      { describe: 'a poll that asks for no document' },
    );
    expect((await listing(node)).etag).toBe(etag);
    await node.stop();
    await node.restart();
    expect(await listedUris(node)).toEqual(urisIn(sampleDocuments(NESTED), true));
    await sync(node);
    expect(bodies(await documentRequests(container))).toEqual([]);
    expect((await listing(node)).etag).toBe(etag);
  });
});

describe('a pod that cannot be read', () => {
  test('because it is closed or gone keeps what it said: only the operator drops a pod', async () => {
    const container = await sampleContainer('vanished', ['recipe.ttl', 'task-list.jsonld']);
    const node = await nodeReading(container);
    // Everyone's access to the container goes, and with it every listing.
    await server.makePrivate(container);
    await sync(node);
    expect(await listedUris(node)).toEqual(publicIn('recipe.ttl', 'task-list.jsonld'));
    expect((await statusOf(node, server.url + container)).state).toBe('failing');
    await node.stop();
    await node.restart({ config: { pods: [], sync: { schedule: ON_DEMAND } } });
    expect(await listedUris(node)).toEqual([]);
  });
});
