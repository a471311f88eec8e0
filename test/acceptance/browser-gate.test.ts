import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import type { LoadOptions } from '../../src/host/module-load.js';
import { oneTab } from '../support/browser/browser.js';
import {
  hash,
  load,
  offerData,
  offerScript,
  page as putPage,
  show,
  strangerSite,
  visitHostPage,
} from '../support/browser/host-page.js';
import { type FakeServer, inTurtle } from '../support/fake-server.js';
import { sync } from '../support/node/node-reader.js';
import { fakePeer } from '../support/peer/fake-peer.js';
import { type InProcessNode, startInProcess } from './adapters/in-process-node.js';

const VOC = 'http://semcom.digita.ai/voc#';
const [PERSON, LIST, EVENT] = [
  'http://xmlns.com/foaf/0.1/Person',
  'https://schema.org/ItemList',
  'https://schema.org/Event',
];

/** Reads the pod of Ann, whom its operator has named, and that of a stranger, whom a peer has told of. */
let node: InProcessNode;
/** The site of the host application and of its data, and those of Ann and of the stranger. */
let site: FakeServer;
let ann: FakeServer;
let stranger: FakeServer;

/** Says where it runs: everything that a page has, a script of the page has, too. */
const marking = (text: string) => `globalThis.ran = [...(globalThis.ran ?? []), '${text}'];`;
const element = (text: string) =>
  `${marking(text)} export default class extends HTMLElement { connectedCallback() { this.textContent = '${text}'; } }`;
const named = (name: string, text: string) =>
  `${marking(text)} customElements.define('${name}', class extends HTMLElement { connectedCallback() { this.textContent = '${text} ' + (this.getAttribute('rdf') ?? this.getAttribute('uri')); } });`;
/** Asks its host for the data, and for leave to write. */
const ASKING = `${marking('asking')} export default class extends HTMLElement {
  connectedCallback() {
    const ask = (action, data) => new Promise((resolve) => {
      const detail = { uri: this.getAttribute('entry'), type: 'text', data };
      const event = new CustomEvent('component-data-' + action, { detail, bubbles: true, composed: true });
      this.addEventListener('component-data-response', ({ detail }) => detail.cause === event && resolve(detail));
      this.dispatchEvent(event);
    });
    Promise.all([ask('read'), ask('write', 'bad')]).then(([read, write]) => {
      this.textContent = 'asking: ' + read.success + ' ' + write.success;
    });
  }
}`;

beforeAll(async () => {
  [site, ann, stranger] = [await strangerSite(), await strangerSite(), await strangerSite()];
  const peer = await fakePeer();
  peer.storage = [stranger.url('/pod.ttl')];
  for (const [path, shape] of Object.entries({ '/person': PERSON, '/list': LIST, '/event': EVENT }))
    offerData(site, path, `<> a <${shape}>; <urn:says> "${shape}".`);
  offerScript(ann, '/card.js', element('Ann'));
  offerScript(stranger, '/bad.js', named('bad-card', 'bad'));
  offerScript(stranger, '/list.js', ASKING);
  offerScript(stranger, '/event.js', named('event-card', 'event'));
  const describes = (uri: string, shape: string, more = '') =>
    `<${uri}> a <${VOC}component>; <${VOC}label> "${uri}"; <${VOC}version> "1.0.0"; <${VOC}shapes> <${shape}>${more}.`;
  ann.on('/pod.ttl', inTurtle(describes(ann.url('/card.js'), PERSON)));
  const invoked = (shape: string, invocation: string) =>
    `; <https://www.w3.org/ns/ac#capability> <#c${shape.length}>. <#c${shape.length}> a <https://www.w3.org/ns/ac#Capability>;
  <https://www.w3.org/ns/ac#action> <http://www.w3.org/ns/odrl/2/display>; <https://www.w3.org/ns/ac#resourceType> <${shape}>;
  <https://www.w3.org/ns/ac#invocation> [ ${invocation} ]`;
  const fragment = `a <${VOC}FragmentInvocation>; <${VOC}fragment> "<bad-card uri='{open}'></bad-card>"; <${VOC}module> <${stranger.url('/bad.js')}>`;
  const hydra = 'http://www.w3.org/ns/hydra/core#';
  const given = `a <${VOC}ElementInvocation>; <${VOC}element> "event-card"; <${VOC}format> "text/turtle";
    <${hydra}mapping> [ <${hydra}variable> "rdf"; <${hydra}property> <${VOC}data> ]`;
  const said = [
    describes(ann.url('/card.js'), PERSON, invoked(PERSON, fragment)),
    describes(stranger.url('/list.js'), LIST),
    describes(stranger.url('/event.js'), EVENT, invoked(EVENT, given)),
  ];
  stranger.on('/pod.ttl', inTurtle(said.join('\n')));
  node = await startInProcess({
    config: { pods: [ann.url('/pod.ttl')], peers: [peer.url], network: { allowPrivate: true } },
  });
  // The first round learns of the stranger, the second one reads him; then Ann describes nothing any more.
  await sync(node);
  await sync(node);
  expect(await served(ann.url('/card.js'))).toMatchObject({ source: { trust: 'configured' } });
  ann.on('/pod.ttl', inTurtle('<> a <urn:nothing>.'));
  await sync(node);
  expect(await served(ann.url('/card.js'))).toMatchObject({ source: { trust: 'learned' } });
});

const served = (uri: string) => node.getJson<Record<string, unknown> & { uri: string }>(`/c/${uri}`);

/** What has run in the page itself. */
const ran = (page: Page) => page.evaluate(() => Reflect.get(window, 'ran') as string[] | undefined);

const inTab = oneTab();
const hostPage = async () => (await visitHostPage(site, node.url, { go: inTab })).page;

/** Why a component is not loaded that the node describes; `added`: what the page adds to the description. */
async function loading(page: Page, uri: string, options: LoadOptions = {}, added: object = {}) {
  return (await load(page, { ...(await served(uri)), ...added }, options)).replace(/:.*/s, '');
}

/** Shows such a component with some data. Gives the name of the element. */
async function showing(page: Page, uri: string, path: string, added: object = {}, options: LoadOptions = {}) {
  return show(page, { tag: [], ...(await served(uri)), ...added }, site.url(path), options);
}

describe('what a stranger says of a component', () => {
  test('runs nothing in a page with one line that names it', async () => {
    const line = `<script type="module" src="${node.url}/embed.js" data-entry="${site.url('/person')}" data-component="${ann.url('/card.js')}"></script>`;
    // In its head, where nothing is seen: the data is shown at the end of the page.
    const { page } = await inTab(
      putPage(site, '/embed', `<!doctype html><title>x</title>${line}<main></main>`),
    );
    const frame = page.locator('iframe[sandbox="allow-scripts allow-forms"]');
    await frame
      .contentFrame()
      .getByText(`bad ${site.url('/person')}`)
      .waitFor();
    expect(await ran(page)).toBeUndefined();
  });

  test('is shown in a sandboxed frame by showComponent, whatever the node has pinned', async () => {
    const page = await hostPage();
    const [list, event] = [stranger.url('/list.js'), stranger.url('/event.js')];
    expect(await showing(page, list, '/list', { pin: { integrity: hash(ASKING) } })).toBe('iframe');
    await page.frameLocator('iframe').getByText('asking: true false').waitFor();
    expect(await showing(page, list, '/list', {}, { integrity: false })).toBe('iframe');
    expect(await showing(page, event, '/event')).toBe('iframe');
    await page.frameLocator('iframe >> nth=2').getByText(EVENT).first().waitFor();
    expect(await ran(page)).toBeUndefined();
    expect(site.requests.filter(({ method }) => method !== 'GET')).toEqual([]);
  });

  test('is not loaded by loadComponent, pinned or not, and is with the hash that the page gives', async () => {
    const page = await hostPage();
    const uri = stranger.url('/list.js');
    expect(await loading(page, uri)).toBe('trust');
    expect(await loading(page, uri, {}, { pin: { integrity: hash(ASKING) } })).toBe('trust');
    expect(await loading(page, uri, { integrity: false })).toBe('trust');
    expect(await ran(page)).toBeUndefined();
    expect(await loading(page, uri, { integrity: hash('other') })).toBe('integrity');
    expect(await loading(page, uri, { integrity: hash(ASKING) })).toMatch(/-/);
    expect(await ran(page)).toEqual(['asking']);
  });

  test('is shown in a sandboxed frame by showResource, where the page lets strangers in, and what it gets is public', async () => {
    const page = await hostPage();
    const asked = await page.evaluate(
      async ([data, registry]) => {
        const asked: string[] = [];
        const session = (url: string, init?: RequestInit) => {
          asked.push(url);
          return fetch(url, init);
        };
        const into = document.querySelector('main') ?? document.body;
        const shown = await window.host.showResource(data, { into, registry, trust: 'any', fetch: session });
        return [shown?.element.localName, asked.length];
      },
      [site.url('/event'), [node.url]] as const,
    );
    // The session reads the resource to know what it is. What the component gets is read without it.
    expect(asked).toEqual(['iframe', 1]);
    await page.frameLocator('iframe').getByText(EVENT).first().waitFor();
    expect(await ran(page)).toBeUndefined();
  });
});
