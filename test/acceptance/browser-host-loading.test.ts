import { createHash } from 'node:crypto';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { offerModule, strangerSite } from '../support/browser/browser-host.js';
import { visitHostPage } from '../support/browser/browser-host-app.js';
import type { FakeServer } from '../support/fake-server.js';
import { componentFile } from '../support/sample-components.js';
import { type InProcessNode, startInProcess } from './adapters/in-process-node.js';

let node: InProcessNode;
/** The site of the host application, and the one that serves components to it. */
let site: FakeServer;
let modules: FakeServer;

beforeAll(async () => {
  // What is loaded here comes from no pod.
  node = await startInProcess();
  [site, modules] = [await strangerSite(), await strangerSite()];
});

const hostPage = () => visitHostPage(site, node.url);

describe('loading', () => {
  const load = (page: Page, uri: string, options: { integrity?: string; timeoutMs?: number } = {}) =>
    page.evaluate(
      async ([uri, options]) => {
        try {
          return await window.host.loadComponent({ uri, tag: ['x'] }, options);
        } catch (error) {
          const { reason, message } = error as { reason: string; message: string };
          return `${reason}: ${message}`;
        }
      },
      [uri, options] as const,
    );
  const marked = (page: Page) => page.evaluate(() => (window as unknown as { marked?: number }).marked);

  test('with the right hash runs the module, once, however often it is asked for', async () => {
    const { page, complaints } = await hostPage();
    const uri = await offerModule(modules, 'hostile/marks.js');
    const digest = createHash('sha384')
      .update(await componentFile('hostile/marks.js'))
      .digest('base64');
    const integrity = `sha384-${digest}`;
    const names = await Promise.all([
      load(page, uri, { integrity }),
      load(page, uri, { integrity }),
      load(page, uri),
    ]);
    expect(new Set(names).size).toBe(1);
    expect(await marked(page)).toBe(1);
    await page.evaluate((name) => document.body.append(document.createElement(name)), names[0] ?? '');
    await page.getByText('marked 1').waitFor();
    expect(await load(page, uri, { integrity: integrity.replace('-', '-A').slice(0, -1) })).toMatch(
      /^integrity: .*loaded already/,
    );
    expect(complaints).toEqual([]);
  });

  test('an element that the module defines itself can be had under the derived name', async () => {
    const { page } = await hostPage();
    const name = await load(page, await offerModule(modules, 'hostile/defines-itself.js'));
    await page.evaluate((name) => document.body.append(document.createElement(name)), name);
    await page.getByText('defined by its own module').waitFor();
  });

  test('side by side, each module has the elements that it has defined itself', async () => {
    const { page } = await hostPage();
    const headers = { 'content-type': 'text/javascript', 'access-control-allow-origin': '*' };
    // Each takes a while, so that all of them run at the same time unless the library sees to it.
    const defining = (name: string) =>
      `await new Promise((resolve) => setTimeout(resolve, 200));
customElements.define('${name}', class extends HTMLElement { connectedCallback() { this.textContent = '${name}'; } });`;
    const names = ['side-one', 'side-two', 'side-three'];
    for (const name of names) modules.on(`/${name}.js`, { headers, body: defining(name) });
    const texts = await page.evaluate(
      async ([one, two, three]) => {
        const { loadComponent, showComponent } = window.host;
        const into = document.createElement('section');
        document.body.append(into);
        const invocation = [{ type: 'ElementInvocation' as const, element: 'side-three', mapping: [] }];
        const [first, second, third] = await Promise.all([
          loadComponent({ uri: one, tag: ['one'] }),
          loadComponent({ uri: two, tag: ['two'] }),
          showComponent({ uri: three, tag: [], capability: [{ invocation }] }, one, { into }),
        ]);
        const made = [first, second].map((name) => document.createElement(name));
        document.body.append(...made);
        return [...made, third.element].map(({ textContent }) => textContent);
      },
      names.map((name) => modules.url(`/${name}.js`)) as [string, string, string],
    );
    expect(texts).toEqual(names);
  });

  const failures: readonly (readonly [string, string, Record<string, string>, RegExp])[] = [
    [
      'is served as something else',
      'nothing.js',
      { 'content-type': 'text/plain' },
      /^type: .* is served as text\/plain; a module must be/,
    ],
    [
      'may not be imported from elsewhere',
      'marks.js',
      { 'access-control-allow-origin': 'https://a.example' },
      /^network: .*other origins/,
    ],
    ['throws', 'throws.js', {}, /^module: .*no luck today/],
    ['does not parse', 'syntax.js', {}, /^module: .*SyntaxError/],
    ['defines nothing', 'nothing.js', {}, /^module: .*exports no HTMLElement class and defines no element/],
    ['exports something else', 'no-element.js', {}, /^module: .*exports no HTMLElement class/],
    ['never ends', 'never.js', {}, /^timeout: .*was not there after 0.5 s/],
  ];
  test.each(failures)(
    'a module that %s is named, with the reason; the next one loads',
    async (_what, file, headers, message) => {
      const { page } = await hostPage();
      const uri = await offerModule(modules, `hostile/${file}`, headers);
      expect(await load(page, uri, file === 'never.js' ? { timeoutMs: 500 } : {})).toMatch(message);
      expect(await load(page, await offerModule(modules, 'hostile/defines-itself.js'))).toMatch(/^x-/);
    },
  );

  test('modules that nobody serves, and those that never answer', async () => {
    const { page } = await hostPage();
    modules.on('/silent.js', { hang: 'answer' });
    expect(await load(page, modules.url('/missing.js'))).toMatch(/^(status: .*404|network: )/);
    expect(await load(page, 'http://127.0.0.1:9/x.js')).toMatch(/^network: /);
    expect(await load(page, modules.url('/silent.js'), { timeoutMs: 500 })).toMatch(/^timeout: /);
    expect(await load(page, 'data:text/javascript,1')).toMatch(/^request: .*no http or https URL/);
  });
});
