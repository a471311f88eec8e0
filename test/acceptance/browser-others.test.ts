import { beforeAll, describe, expect, test } from 'vitest';
import { offerData, offerScript, page, strangerSite } from '../support/browser/host-page.js';
import { type DrivenBrowser, firefox, webkit } from '../support/browser/webdriver.js';
import {
  type FakeAnswer,
  type FakeServer,
  fakeServer,
  inTurtle,
  type SeenRequest,
} from '../support/fake-server.js';
import { sync } from '../support/node/node-reader.js';
import { fakePeer } from '../support/peer/fake-peer.js';
import { type InProcessNode, startInProcess } from './adapters/in-process-node.js';

declare global {
  interface Window {
    /** What has gone wrong on a page that has `WATCH`. */
    readonly faults: string[];
    /** The events of the specification that came to the page. */
    readonly heard: string[];
    /** Where the component of a stranger has run. */
    readonly ran?: string;
  }
}

/** A script that keeps what goes wrong on its page, for browsers whose driver does not tell of it. */
const WATCH = `window.faults = [];
for (const type of ['error', 'unhandledrejection', 'securitypolicyviolation'])
  addEventListener(type, ({ message, reason, blockedURI, target }) => {
    faults.push([type, message ?? reason ?? blockedURI ?? target.src].join(' '));
  }, true);`;

/** A door to a node, of which `origin` tells where it listens: all pages behind it have `WATCH`, under their own policy. */
async function watchedPages(origin: () => string): Promise<FakeServer> {
  const pass = async ({ method, url, headers, body }: SeenRequest): Promise<FakeAnswer> => {
    if (url === '/watch.js') return { headers: { 'content-type': 'text/javascript' }, body: WATCH };
    const { accept = '*/*', 'content-type': type = '' } = headers;
    const passed = { accept, 'content-type': type };
    const answer = await fetch(origin() + url, { method, headers: passed, ...(body && { body }) });
    const whole = Buffer.from(await answer.arrayBuffer());
    const isPage = answer.headers.get('content-type')?.startsWith('text/html');
    const watched = '<head><script src="/watch.js"></script>';
    // The body is as long as it is here, and no longer compressed.
    const { 'content-encoding': _, 'content-length': __, ...kept } = Object.fromEntries(answer.headers);
    return {
      status: answer.status,
      headers: kept,
      body: isPage ? String(whole).replace('<head>', watched) : whole,
    };
  };
  return (await fakeServer()).everything(pass);
}

const CONTACT =
  '@prefix foaf: <http://xmlns.com/foaf/0.1/>. <> a foaf:Person; foaf:name "Ann Author"; foaf:title "Gardener".';
const STRANGER = `globalThis.ran = 'here';
export default class extends HTMLElement {
  connectedCallback() { this.textContent = 'strange ' + this.getAttribute('entry'); }
}`;
let browsers: readonly [firefox: DrivenBrowser, webkit: DrivenBrowser];
let node: InProcessNode;
/** The site of the host application and of its data. */
let site: FakeServer;
let contact: string;
let stranger: string;

beforeAll(async () => {
  const started = Promise.all([firefox(), webkit()]);
  const own = () => `http://127.0.0.1:${node.port}`;
  const [door, peer] = [await watchedPages(own), await fakePeer()];
  site = await strangerSite();
  contact = offerData(site, '/contact.ttl', CONTACT);
  offerData(site, '/strange.ttl', '<> a <urn:strange>.');
  stranger = offerScript(site, '/stranger.js', STRANGER);
  const voc = '@prefix voc: <http://semcom.digita.ai/voc#>.';
  const said = 'a voc:component; voc:label "Stranger"; voc:version "1.0.0"; voc:shapes';
  site.on('/pod.ttl', inTurtle(`${voc} <${stranger}> ${said} <urn:strange>.`));
  peer.storage = [site.url('/pod.ttl')];
  const config = { baseUrl: door.origin, peers: [peer.url], network: { allowPrivate: true } };
  node = await startInProcess({ shipped: ['starter'], config });
  // The first round learns of the pod of the stranger, the second one reads it.
  await sync({ url: own() });
  await sync({ url: own() });
  browsers = await started;
});

describe.each([['Firefox', 0] as const, ['WebKit', 1] as const])('%s', (_, which) => {
  let browser: DrivenBrowser;
  beforeAll(() => {
    browser = browsers[which];
  });

  const hostPage = (html: string) =>
    browser.open(
      page(site, '/', `<!doctype html><title>Host</title><script>${WATCH}</script><main>${html}</main>`),
    );
  const faults = () => browser.run(() => window.faults);
  /** What the component in the first frame shows, with or without a shadow root. */
  const textInFrame = () =>
    browser.runInFrame(() => {
      const roots = [...document.querySelectorAll('*')].flatMap(({ shadowRoot }) => shadowRoot ?? []);
      return [document.body, ...roots].map(({ textContent }) => textContent).join(' ');
    });

  test('a page of another site shows a resource in the shadow root of a component, by the four events', async () => {
    await hostPage(
      `<script type="module">import * as host from '${node.url}/host.js'; window.host = host</script>`,
    );
    await expect.poll(() => browser.run(() => window.host !== undefined)).toBe(true);
    await browser.run(
      async (registry, resource) => {
        const heard: string[] = [];
        Object.assign(window, { heard });
        for (const type of ['read', 'write', 'append', 'response'])
          window.addEventListener(`component-data-${type}`, () => heard.push(type), true);
        const into = document.querySelector('main') as HTMLElement;
        await window.host.showResource(resource, { registry: [registry], into });
      },
      node.url,
      contact,
    );
    const text = () =>
      browser.run(() => document.querySelector('main')?.firstElementChild?.shadowRoot?.textContent);
    await expect.poll(text).toMatch(/Ann Author.*Gardener/s);
    await browser.run((uri) => {
      const inside = document.querySelector('main')?.firstElementChild?.shadowRoot?.lastElementChild;
      inside?.addEventListener('component-data-response', () => window.heard.push('response'));
      const init = { detail: { uri, type: 'text', data: '' }, bubbles: true, composed: true };
      for (const action of ['write', 'append'])
        inside?.dispatchEvent(new CustomEvent(`component-data-${action}`, init));
    }, site.url('/refused'));
    const heard = () => browser.run(() => [...window.heard].sort().join(' '));
    await expect.poll(heard).toBe('append read response response response write');
    expect(await faults()).toEqual([]);
  });

  test('a component of a stranger is shown in a sandboxed frame, and nothing of it runs in the page', async () => {
    const html = `<script type="module" src="${node.url}/embed.js" data-entry="${site.url('/strange.ttl')}" data-component="${stranger}"></script>`;
    await hostPage(html);
    await expect.poll(textInFrame).toContain(`strange ${site.url('/strange.ttl')}`);
    const frame = () => [document.querySelector('iframe')?.getAttribute('sandbox'), window.ran];
    expect(await browser.run(frame)).toEqual(['allow-scripts allow-forms', null]);
    expect(await browser.runInFrame(() => window.ran)).toBe('here');
    expect(await faults()).toEqual([]);
  });

  test('every page of a node opens, that of data shows components with it, live, and no script of them fails', async () => {
    const card = `/c/${encodeURIComponent(stranger)}`;
    const forPeople = { '/': /Person/, [card]: /Stranger/, '/why': /Why/, '/network': /Network/ };
    const contents = { ...forPeople, '/publish': /Sign in/, '/docs/operators': /operators/i };
    for (const [path, content] of Object.entries(contents)) {
      await browser.open(node.url + path);
      const main = () => browser.run(() => document.querySelector('main')?.innerText);
      await expect.poll(main).toMatch(content);
      expect([path, ...(await faults())]).toEqual([path]);
    }
    await browser.open(`${node.url}/data?url=${contact}`);
    const live = () => browser.run(() => document.querySelectorAll('.live.shown').length);
    await expect.poll(live).toBeGreaterThanOrEqual(3);
    await expect.poll(textInFrame).toContain('Ann Author');
    expect(await faults()).toEqual([]);
  });
});
