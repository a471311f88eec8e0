import { createHash } from 'node:crypto';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { visit } from '../support/browser/browser.js';
import { page as putPage, strangerSite } from '../support/browser/browser-host.js';
import { visitHostPage } from '../support/browser/browser-host-app.js';
import type { FakeServer } from '../support/fake-server.js';
import { type NodeProcess, startNode } from '../support/node/node-process.js';
import { OPERATOR_TOKEN, sync } from '../support/node/node-reader.js';
import { fakePeer } from '../support/peer/fake-peer.js';

const VOC = 'http://semcom.digita.ai/voc#';
const [PERSON, LIST, EVENT] = [
  'http://xmlns.com/foaf/0.1/Person',
  'https://schema.org/ItemList',
  'https://schema.org/Event',
];
const OPEN = { 'access-control-allow-origin': '*' };
const TURTLE = { 'content-type': 'text/turtle', ...OPEN };

/** Reads the pod of Ann, whom its operator has named, and that of a stranger, whom a peer has told of. */
let node: NodeProcess;
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
const hash = (text: string) => `sha384-${createHash('sha384').update(text).digest('base64')}`;

beforeAll(async () => {
  [site, ann, stranger] = [await strangerSite(), await strangerSite(), await strangerSite()];
  const peer = await fakePeer();
  peer.storage = [stranger.url('/pod.ttl')];
  for (const [path, shape] of [
    ['/person', PERSON],
    ['/list', LIST],
    ['/event', EVENT],
  ] as const)
    site.on(path, { headers: TURTLE, body: `<> a <${shape}>; <urn:says> "${shape}".` });
  const modules = [
    [ann, '/card.js', element('Ann')],
    [stranger, '/bad.js', named('bad-card', 'bad')],
    [stranger, '/list.js', ASKING],
    [stranger, '/event.js', named('event-card', 'event')],
  ] as const;
  for (const [owner, path, body] of modules)
    owner.on(path, { headers: { 'content-type': 'text/javascript', ...OPEN }, body });
  const describes = (uri: string, shape: string, more = '') =>
    `<${uri}> a <${VOC}component>; <${VOC}label> "${uri}"; <${VOC}version> "1.0.0"; <${VOC}shapes> <${shape}>${more}.`;
  ann.on('/pod.ttl', { headers: TURTLE, body: describes(ann.url('/card.js'), PERSON) });
  const invoked = (shape: string, invocation: string) =>
    `; <https://www.w3.org/ns/ac#capability> <#c${shape.length}>. <#c${shape.length}> a <https://www.w3.org/ns/ac#Capability>;
  <https://www.w3.org/ns/ac#action> <http://www.w3.org/ns/odrl/2/display>; <https://www.w3.org/ns/ac#resourceType> <${shape}>;
  <https://www.w3.org/ns/ac#invocation> [ ${invocation} ]`;
  const fragment = `a <${VOC}FragmentInvocation>; <${VOC}fragment> "<bad-card uri='{open}'></bad-card>"; <${VOC}module> <${stranger.url('/bad.js')}>`;
  const hydra = 'http://www.w3.org/ns/hydra/core#';
  const given = `a <${VOC}ElementInvocation>; <${VOC}element> "event-card"; <${VOC}format> "text/turtle";
    <${hydra}mapping> [ <${hydra}variable> "rdf"; <${hydra}property> <${VOC}data> ]`;
  stranger.on('/pod.ttl', {
    headers: TURTLE,
    body: [
      describes(ann.url('/card.js'), PERSON, invoked(PERSON, fragment)),
      describes(stranger.url('/list.js'), LIST),
      describes(stranger.url('/event.js'), EVENT, invoked(EVENT, given)),
    ].join('\n'),
  });
  node = await startNode({
    config: {
      pods: [{ url: ann.url('/pod.ttl') }],
      peers: [peer.url],
      network: { allowPrivate: true },
      sync: { schedule: '0 0 1 1 *' },
    },
    env: { REGISTRY_OPERATOR_TOKEN: OPERATOR_TOKEN },
  });
  // The first round learns of the stranger, the second one reads him; then Ann describes nothing any more.
  await sync(node);
  await sync(node);
  expect(await served(ann.url('/card.js'))).toMatchObject({ source: { trust: 'configured' } });
  ann.on('/pod.ttl', { headers: TURTLE, body: '<> a <urn:nothing>.' });
  await sync(node);
  expect(await served(ann.url('/card.js'))).toMatchObject({ source: { trust: 'learned' } });
});

async function served(uri: string): Promise<object> {
  return (await (await fetch(`${node.url}/c/${uri}`)).json()) as object;
}

/** What has run in the page itself. */
const ran = (page: Page) => page.evaluate(() => Reflect.get(window, 'ran') as string[] | undefined);

/** Loads a component that the node describes, with what the page adds to the description, or shows it with some data. */
function use(
  page: Page,
  uri: string,
  given: { data?: string; added?: object; options?: { integrity?: string | false } } = {},
): Promise<string> {
  return page.evaluate(
    async ([uri, nodes, { data, added, options }]) => {
      const { loadComponent, RegistryClient, showComponent } = window.host;
      const [found] = await new RegistryClient({ nodes }).query({ uri });
      if (!found) throw new Error(`there is no ${uri}`);
      const component = { ...found, ...added };
      const into = document.querySelector('main') ?? document.body;
      try {
        if (data === undefined) return `loaded ${(await loadComponent(component, options)) !== ''}`;
        return (await showComponent(component, data, { into, ...options })).element.localName;
      } catch (error) {
        return (error as { reason: string }).reason;
      }
    },
    [uri, [node.url], given] as const,
  );
}

describe('what a stranger says of a component', () => {
  test('runs nothing in a page with one line that names it', async () => {
    const line = `<script type="module" src="${node.url}/embed.js" data-entry="${site.url('/person')}" data-component="${ann.url('/card.js')}"></script>`;
    const { page } = await visit(
      putPage(site, '/embed', `<!doctype html><title>x</title><main>${line}</main>`),
    );
    const frame = page.locator('iframe[sandbox="allow-scripts allow-forms"]');
    await frame
      .contentFrame()
      .getByText(`bad ${site.url('/person')}`)
      .waitFor();
    expect(await ran(page)).toBeUndefined();
  });

  test('is shown in a sandboxed frame by showComponent, whatever the node has pinned', async () => {
    const { page } = await visitHostPage(site, node.url);
    const added = { pin: { integrity: hash(ASKING) } };
    expect(await use(page, stranger.url('/list.js'), { data: site.url('/list'), added })).toBe('iframe');
    await page.frameLocator('iframe').getByText('asking: true false').waitFor();
    const options = { integrity: false } as const;
    expect(await use(page, stranger.url('/list.js'), { data: site.url('/list'), options })).toBe('iframe');
    expect(await use(page, stranger.url('/event.js'), { data: site.url('/event') })).toBe('iframe');
    await page.frameLocator('iframe').getByText(EVENT).first().waitFor();
    expect(await ran(page)).toBeUndefined();
    expect(site.requests.filter(({ method }) => method !== 'GET')).toEqual([]);
  });

  test('is not loaded by loadComponent, pinned or not, and is with the hash that the page gives', async () => {
    const { page } = await visitHostPage(site, node.url);
    const uri = stranger.url('/list.js');
    expect(await use(page, uri)).toBe('trust');
    expect(await use(page, uri, { added: { pin: { integrity: hash(ASKING) } } })).toBe('trust');
    expect(await use(page, uri, { options: { integrity: false } })).toBe('trust');
    expect(await ran(page)).toBeUndefined();
    expect(await use(page, uri, { options: { integrity: hash('other') } })).toBe('integrity');
    expect(await use(page, uri, { options: { integrity: hash(ASKING) } })).toBe('loaded true');
    expect(await ran(page)).toEqual(['asking']);
  });

  test('is shown in a sandboxed frame by showResource, where the page lets strangers in, and what it gets is public', async () => {
    const { page } = await visitHostPage(site, node.url);
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
