import { createHash } from 'node:crypto';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Loadable, LoadOptions } from '../../src/host/load-component.js';
import { visit } from '../support/browser.js';
import { offerModule, page as putPage, strangerSite } from '../support/browser-host.js';
import { visitHostPage } from '../support/browser-host-app.js';
import type { FakeServer } from '../support/fake-server.js';
import { type NodeProcess, startNode } from '../support/node-process.js';
import { componentFile } from '../support/sample-components.js';

let node: NodeProcess;
/** The site of the host application, and the one that serves components to it. */
let site: FakeServer;
let modules: FakeServer;

beforeAll(async () => {
  node = await startNode();
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

  test('have to be what the author promises and what the node saw first', async () => {
    const { page } = await hostPage();
    const uri = await offerModule(modules, 'hostile/marks.js');
    const [integrity, text] = [await right('hostile/marks.js'), await componentFile('hostile/marks.js')];
    // Whoever has taken over the document and the server can change both, but not what was seen before.
    expect(await load(page, { uri, integrity, pin: { integrity: hash('old') } })).toMatch(
      /^integrity: .*promised was/,
    );
    expect(await marked(page)).toBeUndefined();
    expect(await load(page, { uri, integrity: hash(text, 'sha512'), pin: { integrity } })).toBe('loaded');
    expect(await marked(page)).toBe(1);
  });

  test('are not run because they ran before, unchecked', async () => {
    const { page } = await hostPage();
    const uri = await offerModule(modules, 'hostile/marks.js');
    expect(await load(page, { uri })).toBe('loaded');
    expect(await load(page, { uri, integrity: hash('x') })).toMatch(
      /loaded already, without a check of its bytes/,
    );
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
