import { createHash } from 'node:crypto';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Loadable, LoadOptions } from '../../src/host/module-load.js';
import { visit } from '../support/browser/browser.js';
import { offerModule, page as putPage, strangerSite } from '../support/browser/browser-host.js';
import { visitHostPage } from '../support/browser/browser-host-app.js';
import type { FakeServer } from '../support/fake-server.js';
import { componentFile } from '../support/sample-components.js';
import { waitFor } from '../support/wait-for.js';
import { type InProcessNode, startInProcess } from './adapters/in-process-node.js';
import { type NetworkNode, networkNodes } from './adapters/network-node.js';

let node: InProcessNode;
/** The site of the host application, and the one that serves components to it. */
let site: FakeServer;
let modules: FakeServer;

beforeAll(async () => {
  node = await startInProcess();
  [site, modules] = [await strangerSite(), await strangerSite()];
});

const hash = (text: string, algorithm = 'sha384') =>
  `${algorithm}-${createHash(algorithm).update(text).digest('base64')}`;
const right = async (file: string) => hash(await componentFile(file));

/** Loads a component, and shows it; the reason and the message of what went wrong. */
const load = (page: Page, component: Omit<Loadable, 'tag'>, options: LoadOptions = {}) =>
  page.evaluate(
    async ([component, options]) => {
      try {
        const name = await window.host.loadComponent({ tag: ['x'], ...component }, options);
        document.body.append(document.createElement(name));
        return 'loaded';
      } catch (error) {
        const { reason, message } = error as { reason: string; message: string };
        return `${reason}: ${message}`;
      }
    },
    [component, options] as const,
  );
const marked = (page: Page) => page.evaluate(() => (window as unknown as { marked?: number }).marked);
const hostPage = () => visitHostPage(site, node.url);

describe('bytes that differ from the pin', () => {
  test.each(['integrity', 'pin'] as const)('run nothing, whoever pinned them: %s', async (by) => {
    const { page } = await hostPage();
    const uri = await offerModule(modules, 'hostile/marks.js');
    const promised = hash('other bytes');
    const component = by === 'pin' ? { uri, pin: { integrity: promised } } : { uri, integrity: promised };
    const message = `integrity: ${uri} is not the module that was promised: it is ${await right('hostile/marks.js')}, promised was ${promised}`;
    expect(await load(page, component)).toBe(message);
    expect(await marked(page)).toBeUndefined();
    // The page may say so explicitly, and may say what it knows better.
    expect(await load(page, component, { integrity: await right('hostile/marks.js') })).toBe('loaded');
    expect(await load((await hostPage()).page, component, { integrity: false })).toBe('loaded');
  });
});

describe('a pinned module that imports another one by a relative address', () => {
  test('is run with its own URL, and checked by the browser', async () => {
    const { page, complaints } = await hostPage();
    await offerModule(modules, 'hostile/marks.js');
    const uri = await offerModule(modules, 'hostile/imports.js');
    expect(await load(page, { uri, integrity: await right('hostile/imports.js') })).toBe('loaded');
    await page.getByText('/hostile/imports.js').waitFor();
    expect(await marked(page)).toBe(1);
    expect(complaints.filter((one) => !one.includes("digest in the 'integrity' attribute"))).toEqual([]);
  });

  test('is not run when its server serves other bytes to the import than to the check', async () => {
    const { page } = await hostPage();
    const uri = await offerModule(modules, 'hostile/imports.js');
    const text = await componentFile('hostile/imports.js');
    const headers = {
      'content-type': 'text/javascript',
      'access-control-allow-origin': '*',
      'cache-control': 'no-store',
    };
    const evil = `globalThis.marked = 'evil'; ${text}`;
    modules.on('/hostile/imports.js', ({ headers: { 'sec-fetch-dest': use } }) => ({
      headers,
      body: use === 'script' ? evil : text,
    }));
    expect(await load(page, { uri, integrity: hash(text) })).toMatch(/^module: .*imports\.js/);
    expect(await marked(page)).toBeUndefined();
  });

  test('is run with what it imports only if that is what the node has seen', async () => {
    await offerModule(modules, 'hostile/marks.js');
    const uri = await offerModule(modules, 'hostile/imports.js');
    const integrity = await right('hostile/imports.js');
    const pin = (imported: string) => ({
      integrity,
      files: [{ uri: modules.url('/hostile/marks.js'), integrity: imported }],
    });
    const { page } = await hostPage();
    expect(await load(page, { uri, pin: pin(await right('hostile/marks.js')) })).toBe('loaded');
    expect(await marked(page)).toBe(1);
    const { page: other } = await hostPage();
    expect(await load(other, { uri, pin: pin(hash('other bytes')) })).toMatch(/^module: .*imports\.js/);
    expect(await marked(other)).toBeUndefined();
    // The page may allow it.
    expect(await load((await hostPage()).page, { uri, pin: pin(hash('x')) }, { integrity: false })).toBe(
      'loaded',
    );
  });

  test('is not run with what the node could not pin, unless the page allows it', async () => {
    await offerModule(modules, 'hostile/marks.js');
    const uri = await offerModule(modules, 'hostile/imports.js');
    const integrity = await right('hostile/imports.js');
    const component = { uri, pin: { integrity, unpinned: ['import(…)', 'lit'] } };
    const { page } = await hostPage();
    expect(await load(page, component)).toMatch(
      /^integrity: .*imports\.js imports what could not be pinned: import\(…\), lit\. /,
    );
    expect(await marked(page)).toBeUndefined();
    expect(await load(page, component, { integrity })).toBe('loaded');
  });

  test('is refused where the policy of the page lets nothing be checked', async () => {
    const uri = await offerModule(modules, 'hostile/imports.js');
    const policy = `script-src ${node.url} ${modules.origin} blob: 'nonce-x'`;
    const html = `<!doctype html><meta http-equiv="Content-Security-Policy" content="${policy}">
<script type="module" nonce="x">import * as host from '${node.url}/host.js'; window.host = host;</script>`;
    const { page } = await visit(putPage(site, '/policy', html));
    await page.waitForFunction(() => window.host !== undefined);
    expect(await load(page, { uri, integrity: await right('hostile/imports.js') })).toMatch(
      /^module: .*imports other modules by relative addresses.*make one file of it/,
    );
  });
});

const FOAF = 'http://xmlns.com/foaf/0.1/';
const card = (text: string) =>
  `export default class extends HTMLElement { connectedCallback() { this.textContent = '${text}'; } }`;

describe('a module that is changed under its version', () => {
  test('is noticed by the node, and shown by no page that asks it; its page says so', async () => {
    const [registry] = (await networkNodes(1, { pinningTimes: { round: 20, pause: 0, check: 50 } })) as [
      NetworkNode,
    ];
    await registry.start();
    const headers = { 'content-type': 'text/javascript', 'access-control-allow-origin': '*' };
    const data = { 'content-type': 'text/turtle', 'access-control-allow-origin': '*' };
    site.on('/ann', { headers: data, body: `<> a <${FOAF}Person>.` });
    modules.on('/card.js', { headers, body: card('first') });
    const uri = modules.url('/card.js');
    await registry.publish({ uri, label: 'Card', version: '1.0.0', shapes: [`${FOAF}Person`] });
    const show = async () => {
      const { page } = await visitHostPage(site, registry.url);
      return page.evaluate(
        async ([data, url]) => {
          const options = { into: document.body, registry: [url] };
          const shown = window.host.showResource(data, options);
          return shown.then((one) => one?.element.textContent ?? 'nothing', String);
        },
        [site.url('/ann'), registry.url] as const,
      );
    };
    const pin = async () => (await registry.json<{ pin?: object }[]>('/component'))[0]?.pin;
    await waitFor(async () => (await pin()) !== undefined, { describe: 'the pin' });
    expect(await show()).toBe('first');
    // The line to copy is pinned, and does the same in a page of its own.
    const about = await visit(`${registry.url}/c/${encodeURIComponent(uri)}`);
    const script = await about.page.getByRole('region', { name: 'In one line:' }).textContent();
    expect(script).toContain(' data-integrity="sha384-');
    const html = `<!doctype html><title>x</title><main></main>${script?.replace('https://pod.example/your/data', site.url('/ann'))}`;
    const copied = putPage(site, '/copied', html);
    const { page: pinnedPage, complaints } = await visit(copied);
    await pinnedPage.getByText('first').waitFor();
    expect(complaints).toEqual([]);

    // At once, before the node has looked again.
    modules.on('/card.js', { headers, body: card('second') });
    const [first, second] = [hash(card('first')), hash(card('second'))];
    expect(await show()).toContain(`it is ${second}, promised was ${first}`);
    // Readers are told in a sentence, and developers in full.
    const changed = await visit(copied);
    await changed.page.getByText('The program that shows this is not the one that was promised').waitFor();
    expect(await changed.page.locator('body').textContent()).not.toContain(second);
    await expect
      .poll(() => changed.complaints)
      .toContainEqual(expect.stringContaining(`promised was ${first}`));
    await waitFor(async () => 'changed' in ((await pin()) ?? {}), { describe: 'the change to be noticed' });
    expect(await pin()).toEqual({ integrity: first, changed: second });
    const { page } = await visit(`${registry.url}/c/${encodeURIComponent(uri)}`);
    await page.getByRole('alert').getByText('The bytes of this module have changed').waitFor();

    // A new version is the author's.
    await registry.publish({ uri, label: 'Card', version: '2.0.0', shapes: [`${FOAF}Person`] });
    expect(await show()).toBe('second');
  });
});
