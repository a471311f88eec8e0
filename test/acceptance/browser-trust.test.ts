import { beforeAll, describe, expect, test } from 'vitest';
import { type Visit, visit } from '../support/browser/browser.js';
import { page as putPage, strangerSite } from '../support/browser/browser-host.js';
import { visitHostPage } from '../support/browser/browser-host-app.js';
import { documentAt } from '../support/docs.js';
import type { FakeServer } from '../support/fake-server.js';
import { OPERATOR_TOKEN, sync } from '../support/node/node-reader.js';
import { fakePeer, simple } from '../support/peer/fake-peer.js';
import { type InProcessNode, startInProcess } from './adapters/in-process-node.js';

const VOC = 'http://semcom.digita.ai/voc#';
const [PERSON, LIST, EVENT] = [
  'http://xmlns.com/foaf/0.1/Person',
  'https://schema.org/ItemList',
  'https://schema.org/Event',
];
const OPEN = { 'access-control-allow-origin': '*' };

/** Whom the page listens to; see `showResource`. */
interface Listening {
  readonly sources?: readonly string[];
  readonly trust?: 'own' | 'configured' | 'any';
}

/** Reads the pod of Ann, whom its operator has named, and that of a stranger, whom a peer has told of. */
let node: InProcessNode;
/** Of the node, and of that mirror. */
let mirror: InProcessNode;
let second: InProcessNode;
/** The site of the host application, and those of Ann, of Bob, whose component a configured peer has, and of the stranger. */
let site: FakeServer;
let ann: FakeServer;
let bob: FakeServer;
let stranger: FakeServer;

beforeAll(async () => {
  [site, ann] = [await strangerSite(), await strangerSite()];
  [bob, stranger] = [await strangerSite(), await strangerSite()];
  const peer = await fakePeer();
  peer.storage = [stranger.url('/pod.ttl')];
  site.on('/person', { headers: { 'content-type': 'text/turtle', ...OPEN }, body: `<> a <${PERSON}>.` });
  site.on('/event', { headers: { 'content-type': 'text/turtle', ...OPEN }, body: `<> a <${EVENT}>.` });
  site.on('/list', { headers: { 'content-type': 'text/turtle', ...OPEN }, body: `<> a <${LIST}>.` });
  const card = ['Profile card', 'Ann Author', PERSON] as const;
  describes(ann, [
    [1, '1.2.0', ...card],
    [2, '1.10.0', ...card],
  ]);
  describes(stranger, [
    // Says that he is the newest version of Ann's, and comes first by his label.
    [9, '9.9.9', ...card, 'true'],
    [3, '1.0.0', 'AAA', 'A', PERSON, 'true'],
    [4, '1.0.0', 'AAA', 'A', LIST],
    // Describes Bob's component, too, so that his own description would be served instead of the peer's.
    [7, '1.0.0', 'Event card', 'Stranger', EVENT],
  ]);
  hasModule(bob, 7, 'Bob 1.0.0');
  peer.says({ ...simple('x', 'Event card'), uri: bob.url('/7.js'), version: '1.0.0', shapes: [EVENT] });
  node = await startInProcess({
    config: {
      pods: [{ url: ann.url('/pod.ttl') }],
      peers: [peer.url],
      network: { allowPrivate: true },
      sync: { schedule: '0 0 1 1 *' },
    },
    env: { REGISTRY_OPERATOR_TOKEN: OPERATOR_TOKEN },
  });
  // The first round learns of the stranger, the second one reads him.
  await sync(node);
  await sync(node);
  mirror = await startMirror(node);
  second = await startMirror(mirror);
  for (const one of [node, mirror, second])
    expect((await (await fetch(`${one.url}/component`)).json()).length).toBe(6);
});

type Line = readonly [
  number: number,
  version: string,
  label: string,
  author: string,
  shape: string,
  latest?: string,
];

async function startMirror(upstream: InProcessNode): Promise<InProcessNode> {
  const started = await startInProcess({
    config: {
      ...{ mode: 'mirror', write: 'off', peers: [upstream.url], sync: { schedule: '0 0 1 1 *' } },
      network: { allowPrivate: true },
    },
    env: { REGISTRY_OPERATOR_TOKEN: OPERATOR_TOKEN },
  });
  await sync(started);
  return started;
}

function hasModule(owner: FakeServer, number: number, text: string): void {
  const body = `export default class extends HTMLElement { connectedCallback() { this.textContent = '${text}'; } }`;
  owner.on(`/${number}.js`, { headers: { 'content-type': 'text/javascript', ...OPEN }, body });
}

/** Puts a document and the modules that it describes on a site; each shows whose it is and which. */
function describes(owner: FakeServer, lines: readonly Line[]): void {
  const name = owner === ann ? 'Ann' : 'stranger';
  const texts = lines.map(([number, version, label, author, shape, latest]) => {
    hasModule(owner, number, `${name} ${version}`);
    const more = latest === undefined ? '' : `; <${VOC}latest> ${latest}`;
    const home = shape === EVENT ? bob : owner;
    return `<${home.url(`/${number}.js`)}> a <${VOC}component>; <${VOC}label> "${label}"; <${VOC}author> "${author}";
  <${VOC}version> "${version}"; <${VOC}shapes> <${shape}>${more}.`;
  });
  owner.on('/pod.ttl', { headers: { 'content-type': 'text/turtle' }, body: texts.join('\n') });
}

const requests = (server: FakeServer) => server.requests.filter(({ url }) => url.endsWith('.js')).length;

/** What the page shows for the data, and what the console of the page said. */
async function shown(data: string, options: Listening = {}, from = node): Promise<Visit & { text: string }> {
  const visited = await visitHostPage(site, from.url);
  const text = await visited.page.evaluate(
    async ([data, registry, options]) => {
      const into = document.body;
      const shown = await window.host.showResource(data, { into, registry: [registry], ...options });
      return shown?.element.textContent ?? 'nothing';
    },
    [site.url(data), from.url, options] as const,
  );
  return { ...visited, text };
}

describe('a stranger', () => {
  test.each(['README.md', 'docs/web-developers.md'])('does not win on the page of %s', async (document) => {
    const [, html = ''] = /<!-- host page -->\n```html\n([\s\S]*?)```/.exec(documentAt(document)) ?? [];
    const before = requests(stranger);
    const url = putPage(site, '/story', html.replaceAll('http://localhost:3000', node.url));
    const { page } = await visit(`${url}?data=${encodeURIComponent(site.url('/person'))}`);
    await page.getByText('Ann 1.10.0').waitFor();
    const other = await visit(`${url}?data=${encodeURIComponent(site.url('/list'))}`);
    await other.page.getByText('No component is known for this data.').waitFor();
    await expect
      .poll(() => other.complaints)
      .toEqual([expect.stringContaining('nobody whom the registry’s operator'.replace('’', "'"))]);
    expect(requests(stranger)).toBe(before);
  });

  test('who says that his is Ann’s next version does not come before hers, even where the page lets strangers in', async () => {
    expect((await shown('/person', { trust: 'any' })).text).toBe('Ann 1.10.0');
    const { page } = await visitHostPage(site, node.url);
    const found = await page.evaluate(
      async ([data, url]) => {
        const client = new window.host.RegistryClient({ nodes: [url] });
        const candidates = await client.componentsFor(data, { trust: 'any' });
        return candidates.map(({ label, version, because }) => [label, version, because.trust]);
      },
      [site.url('/person'), node.url] as const,
    );
    expect(found[0]).toEqual(['Profile card', '1.10.0', 'configured']);
    expect(found.map(([, , trust]) => trust)).toContain('learned');
  });

  test('is shown where the page asks for it, or for him, in a frame', async () => {
    expect((await shown('/list')).text).toBe('nothing');
    for (const options of [{ trust: 'any' }, { sources: [stranger.url('/pod.ttl')] }] as const) {
      const { page } = await shown('/list', options);
      await page.frameLocator('iframe').getByText('stranger 1.0.0').waitFor();
    }
    expect((await shown('/list', { sources: [ann.url('/pod.ttl')] })).text).toBe('nothing');
  });
});

describe.each([
  ['a node', () => node],
  ['a mirror', () => mirror],
  ['a mirror of a mirror', () => second],
])('on %s, a stranger', (_, asked) => {
  test('does not run instead of whom the operator has named, by being the newest', async () => {
    const before = requests(stranger);
    expect((await shown('/person', {}, asked())).text).toBe('Ann 1.10.0');
    expect((await shown('/list', {}, asked())).text).toBe('nothing');
    expect(requests(stranger)).toBe(before);
    expect((await shown('/person', { trust: 'any' }, asked())).text).toBe('Ann 1.10.0');
  });

  test('does not hide the component of a configured peer by describing it', async () => {
    expect((await shown('/event', {}, asked())).text).toBe('Bob 1.0.0');
    const served = await (await fetch(`${asked().url}/c/${bob.url('/7.js')}`)).json();
    expect(served).toMatchObject({ source: { trust: 'configured', kind: 'peer' } });
    expect(served).not.toHaveProperty('author');
  });

  test('is told apart by why', async () => {
    const why = async (uri: string) =>
      (await (await fetch(`${asked().url}/why?uri=${encodeURIComponent(uri)}`)).json()).statements;
    const [served, shadowed] = await why(bob.url('/7.js'));
    expect([served.served, shadowed.source]).toEqual([true, { kind: 'pod', url: stranger.url('/pod.ttl') }]);
    expect(shadowed.rule).toBe('what configured peers say for themselves comes before learned pods');
  });
});
