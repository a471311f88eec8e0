import { createHash } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import { type NetworkNode, networkNodes } from '../acceptance/adapters/network-node.js';
import { strangerSite } from '../support/browser/browser-host.js';
import { visitHostPage } from '../support/browser/browser-host-app.js';
import type { FakeServer } from '../support/fake-server.js';
import { waitFor } from '../support/wait-for.js';

const VOC = 'http://semcom.digita.ai/voc#';
const [PERSON, LIST] = ['http://xmlns.com/foaf/0.1/Person', 'https://schema.org/ItemList'];
const hash = (text: string) => `sha384-${createHash('sha384').update(text).digest('base64')}`;
const OPEN = { 'access-control-allow-origin': '*' };

/** The site of the host application and of the author. */
let site: FakeServer;
/** Two nodes that read the pod and its modules themselves, and one that knows only what the first one says. */
let [first, second, echo]: NetworkNode[] = [];

beforeAll(async () => {
  site = await strangerSite();
  [first, second, echo] = await networkNodes(3, { pinningTimes: { round: 20, pause: 0, check: 60_000 } });
  if (!first || !second || !echo) throw new Error('there are three nodes');
  const { url } = second;
  const script = (text: string) =>
    `export default class extends HTMLElement { connectedCallback() { this.textContent = '${text}'; } }`;
  const described = [
    // Promised by its author, so that the third node knows which bytes are meant without having seen any.
    ['/card.js', PERSON, `; <${VOC}integrity> "${hash(script('card'))}"`],
    ['/list.js', LIST, ''],
  ].map(
    ([path = '', shape, more]) =>
      `<${site.url(path)}> a <${VOC}component>; <${VOC}label> "${path}"; <${VOC}version> "1.0.0"; <${VOC}shapes> <${shape}>${more}.`,
  );
  site.on('/pod.ttl', { headers: { 'content-type': 'text/turtle' }, body: described.join('\n') });
  site.on('/person', { headers: { 'content-type': 'text/turtle', ...OPEN }, body: `<> a <${PERSON}>.` });
  site.on('/items', { headers: { 'content-type': 'text/turtle', ...OPEN }, body: `<> a <${LIST}>.` });
  const headers = { 'content-type': 'text/javascript', ...OPEN };
  site.on('/card.js', { headers, body: script('card') });
  // The author shows the second node other bytes than everybody else.
  site.on('/list.js', ({ headers: { 'user-agent': by } }) => ({
    headers,
    body: script(by?.includes(url) ? 'harmless list' : 'list'),
  }));
  const reads = { pods: [{ url: site.url('/pod.ttl') }] };
  await Promise.all([first.start(reads), second.start(reads)]);
  await Promise.all([first.sync(), second.sync()]);
  await waitFor(async () => (await pins(first)) === 2 && (await pins(second)) === 2, {
    describe: 'the pins',
  });
  await echo.start({ peers: [first.url], discovery: { depth: 0 } });
  await echo.sync();
  expect(await echo.uris()).toHaveLength(2);
});

async function pins(node: NetworkNode | undefined): Promise<number> {
  const components = (await node?.json<{ pin?: object }[]>('/component')) ?? [];
  return components.filter(({ pin }) => pin !== undefined).length;
}

/** What a page in the browser shows for this data, when it asks these nodes and both have to agree. */
async function shown(data: string, nodes: readonly (NetworkNode | undefined)[], agree = 2): Promise<string> {
  const { page } = await visitHostPage(site, first?.url ?? '');
  return page.evaluate(
    async ([data, nodes, agree]) => {
      const registry = new window.host.RegistryClient({ nodes });
      const shown = await window.host.showResource(data, {
        ...{ into: document.body, registry, agree, trust: 'any', minimumAge: 0 },
      });
      return shown?.element.textContent ?? 'nothing';
    },
    [site.url(data), nodes.flatMap((node) => node?.url ?? []), agree] as const,
  );
}

test('a page shows what two nodes have found out by themselves', async () => {
  expect(await shown('/person', [first, second])).toBe('card');
});

test('what one node has from the other is not said twice', async () => {
  expect(await shown('/person', [echo], 1)).toBe('card');
  expect(await shown('/person', [first, echo])).toBe('nothing');
  expect(await shown('/person', [echo, second])).toBe('card');
});

test('a module that is not the same for everybody is not shown', async () => {
  expect(await shown('/items', [first, second])).toBe('nothing');
  expect(await shown('/items', [first], 1)).toBe('list');
});
