import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Loadable, LoadOptions } from '../../src/host/module-load.js';
import { oneTab } from '../support/browser/browser.js';
import {
  hash,
  load,
  offerData,
  offerModule,
  offerScript,
  open,
  page as putPage,
  showResource,
  strangerSite,
  visitHostPage,
} from '../support/browser/host-page.js';
import type { FakeAnswer, FakeServer } from '../support/fake-server.js';
import { publish } from '../support/node/node-reader.js';
import { componentFile } from '../support/sample-components.js';
import { waitFor } from '../support/wait-for.js';
import { type InProcessNode, NETWORKED, startInProcess } from './adapters/in-process-node.js';

let node: InProcessNode;
/** The site of the host application, and the one that serves components to it. */
let site: FakeServer;
let modules: FakeServer;
beforeAll(async () => {
  // What is loaded here comes from no pod.
  node = await startInProcess();
  [site, modules] = [await strangerSite(), await strangerSite()];
});

const inTab = oneTab();
const hostPage = (more?: string) => visitHostPage(site, node.url, { go: inTab, more });
const right = async (file: string) => hash(await componentFile(file));
/** How often a module has run, or what says that another one has. */
const marked = (page: Page) => page.evaluate(() => (window as unknown as { marked?: number }).marked);
const loaded = expect.stringMatching(/^x-/);

describe('loading', () => {
  test('with the right hash runs the module, once, however often it is asked for', async () => {
    const { page, complaints } = await hostPage();
    const uri = await offerModule(modules, 'hostile/marks.js');
    const integrity = await right('hostile/marks.js');
    const names = await Promise.all([
      load(page, { uri }, { integrity }),
      load(page, { uri }, { integrity }),
      load(page, { uri }),
    ]);
    expect(new Set(names).size).toBe(1);
    expect(await marked(page)).toBe(1);
    await page.getByText('marked 1').first().waitFor();
    const other = integrity.replace('-', '-A').slice(0, -1);
    expect(await load(page, { uri }, { integrity: other })).toMatch(/^integrity: .*loaded already/);
    expect(complaints).toEqual([]);
  });

  test('side by side, each module has the elements that it has defined itself', async () => {
    const { page } = await hostPage();
    // Each takes a while, so that all of them run at the same time unless the library sees to it.
    const defining = (name: string) =>
      `await new Promise((resolve) => setTimeout(resolve, 200));
customElements.define('${name}', class extends HTMLElement { connectedCallback() { this.textContent = '${name}'; } });`;
    const names = ['side-one', 'side-two', 'side-three'];
    const uris = names.map((name) => offerScript(modules, `/${name}.js`, defining(name)));
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
      uris as [string, string, string],
    );
    expect(texts).toEqual(names);
  });

  const TEXT = { headers: { 'content-type': 'text/plain' } };
  const CLOSED = { headers: { 'access-control-allow-origin': 'https://a.example' } };
  const FAULTS: readonly [what: string, file: string, served: FakeAnswer, message: RegExp][] = [
    ['of another type', 'nothing.js', TEXT, /^type: .* is served as text\/plain; a module must be/],
    ['not to be imported from elsewhere', 'marks.js', CLOSED, /^network: .*other origins/],
    ['throws', 'throws.js', {}, /^module: .*no luck today/],
    ['does not parse', 'syntax.js', {}, /^module: .*SyntaxError/],
    ['defines nothing', 'nothing.js', {}, /^module: .*exports no HTMLElement class and defines no element/],
    ['exports something else', 'no-element.js', {}, /^module: .*exports no HTMLElement class/],
    ['never ends', 'never.js', {}, /^timeout: .*was not there after 0.5 s/],
    ['never comes', 'nothing.js', { hang: 'answer' }, /^timeout: /],
    ['is nowhere', 'nothing.js', { status: 404 }, /^(status: .*404|network: )/],
  ];

  test('a module that cannot be used is named, with the reason, and the next one loads', async () => {
    const { page } = await hostPage();
    // An element that the module defines itself can be had under the derived name.
    const next = await componentFile('hostile/defines-itself.js');
    const told: unknown[] = [];
    for (const [i, [what, file, served, message]] of FAULTS.entries()) {
      const uri = offerScript(modules, `/${i}/${file}`, await componentFile(`hostile/${file}`), served);
      const options = message.source.includes('timeout') ? { timeoutMs: 500 } : {};
      const after = offerScript(modules, `/${i}/next.js`, next.replace('defines-itself', `element-${i}`));
      told.push([what, await load(page, { uri }, options), await load(page, { uri: after })]);
    }
    expect(told).toEqual(FAULTS.map(([what, , , why]) => [what, expect.stringMatching(why), loaded]));
    expect(await page.getByText('defined by its own module').count()).toBe(FAULTS.length);
  });

  test('what is no http or https URL, and what nobody serves, is refused', async () => {
    const { page } = await hostPage();
    expect(await load(page, { uri: 'http://127.0.0.1:9/x.js' })).toMatch(/^network: /);
    expect(await load(page, { uri: 'data:text/javascript,1' })).toMatch(/^request: .*no http or https URL/);
  });
});

test.each(['integrity', 'pin'] as const)(
  'bytes that differ from what was promised run nothing, whoever promised them: %s',
  async (by) => {
    const { page } = await hostPage();
    const uri = await offerModule(modules, 'hostile/marks.js');
    const promised = hash('other bytes');
    const component = by === 'pin' ? { uri, pin: { integrity: promised } } : { uri, integrity: promised };
    const message = `integrity: ${uri} is not the module that was promised: it is ${await right('hostile/marks.js')}, promised was ${promised}`;
    expect(await load(page, component)).toBe(message);
    expect(await marked(page)).toBeUndefined();
    // The page may say so explicitly, and may say what it knows better.
    expect(await load(page, component, { integrity: await right('hostile/marks.js') })).toEqual(loaded);
    expect(await load((await hostPage()).page, component, { integrity: false })).toEqual(loaded);
  },
);

describe('a pinned module that imports another one by a relative address', () => {
  const MARKED_ONCE = /^x-/;
  let own: string;
  beforeAll(async () => {
    await offerModule(modules, 'hostile/marks.js');
    own = await right('hostile/imports.js');
  });
  const promised = () => ({ integrity: own });
  /** What the node has seen of both modules; `imported`: of the second one. */
  const seen = (imported: string) => ({
    pin: { integrity: own, files: [{ uri: modules.url('/hostile/marks.js'), integrity: imported }] },
  });
  const unpinned = () => ({ pin: { integrity: own, unpinned: ['import(…)', 'lit'] } });

  test.each<[string, () => Partial<Loadable> | Promise<Partial<Loadable>>, RegExp, (() => LoadOptions)?]>([
    ['runs with its own URL, checked by the browser', promised, MARKED_ONCE],
    ['runs with what the node has seen', async () => seen(await right('hostile/marks.js')), MARKED_ONCE],
    ['does not with anything else', () => seen(hash('other bytes')), /^module: .*imports\.js/],
    ['unless the page allows it', () => seen(hash('x')), MARKED_ONCE, () => ({ integrity: false })],
    [
      'does not with what the node could not pin',
      unpinned,
      /^integrity: .*imports\.js imports what could not be pinned: import\(…\), lit\. /,
    ],
    ['unless the page promises the module itself', unpinned, MARKED_ONCE, promised],
  ])('%s', async (_, said, outcome, options = () => ({})) => {
    const { page, complaints } = await hostPage();
    const uri = await offerModule(modules, 'hostile/imports.js');
    expect(await load(page, { uri, ...(await said()) }, options())).toMatch(outcome);
    expect(await marked(page)).toBe(outcome === MARKED_ONCE ? 1 : undefined);
    if (outcome !== MARKED_ONCE) return;
    await page.getByText('/hostile/imports.js').waitFor();
    expect(complaints.filter((one) => !one.includes("digest in the 'integrity' attribute"))).toEqual([]);
  });

  test('is not run when its server serves other bytes to the import than to the check', async () => {
    const { page } = await hostPage();
    const text = await componentFile('hostile/imports.js');
    modules.on('/hostile/imports.js', ({ headers: { 'sec-fetch-dest': use } }) =>
      open('text/javascript', use === 'script' ? `globalThis.marked = 'evil'; ${text}` : text, {
        headers: { 'cache-control': 'no-store' },
      }),
    );
    const uri = modules.url('/hostile/imports.js');
    expect(await load(page, { uri, ...promised() })).toMatch(/^module: .*imports\.js/);
    expect(await marked(page)).toBeUndefined();
  });

  test('is refused where the policy of the page lets nothing be checked', async () => {
    const policy = `script-src ${node.url} ${modules.origin} blob: 'nonce-x'`;
    const { page } = await hostPage(`<meta http-equiv="Content-Security-Policy" content="${policy}">`);
    const uri = await offerModule(modules, 'hostile/imports.js');
    expect(await load(page, { uri, ...promised() })).toMatch(
      /^module: .*imports other modules by relative addresses.*make one file of it/,
    );
  });
});

const FOAF = 'http://xmlns.com/foaf/0.1/';
const card = (text: string) =>
  `export default class extends HTMLElement { connectedCallback() { this.textContent = '${text}'; } }`;

test('a module that is changed under its version is noticed by the node, and shown by no page that asks it', async () => {
  const given = { pinningTimes: { round: 20, pause: 0, check: 50 } };
  const registry = await startInProcess({ config: NETWORKED, given });
  const ann = offerData(site, '/ann', `<> a <${FOAF}Person>.`);
  const uri = offerScript(modules, '/card.js', card('first'));
  const described = { uri, label: 'Card', shapes: [`${FOAF}Person`] };
  await publish(registry, { ...described, version: '1.0.0' });
  /** What a page shows of it, or why not. */
  const shown = async () => {
    const { page } = await visitHostPage(site, registry.url, { go: inTab });
    const outcome = await showResource(page, registry.url, ann).then(() => '', String);
    return outcome || page.locator('main > :last-child').innerText();
  };
  const pin = async () => (await registry.getJson<{ pin?: object }[]>('/component'))[0]?.pin;
  await waitFor(async () => (await pin()) !== undefined, { describe: 'the pin' });
  expect(await shown()).toBe('first');
  // The line to copy is pinned, and does the same in a page of its own.
  const about = await inTab(`${registry.url}/c/${encodeURIComponent(uri)}`);
  const script = await about.page.getByRole('region', { name: 'In one line:' }).textContent();
  const line = script?.replace('https://pod.example/your/data', ann);
  const copied = putPage(site, '/copied', `<!doctype html><title>x</title><main></main>${line}`);
  const { page: pinnedPage, complaints } = await inTab(copied);
  await pinnedPage.getByText('first').waitFor();
  expect(complaints).toEqual([]);

  // At once, before the node has looked again.
  offerScript(modules, '/card.js', card('second'));
  const [first, second] = [hash(card('first')), hash(card('second'))];
  expect(await shown()).toContain(`it is ${second}, promised was ${first}`);
  // Readers are told in a sentence, and developers in full.
  const changed = await inTab(copied);
  await changed.page.getByText('The program that shows this is not the one that was promised').waitFor();
  expect(await changed.page.locator('body').textContent()).not.toContain(second);
  await expect
    .poll(() => changed.complaints)
    .toContainEqual(expect.stringContaining(`promised was ${first}`));
  await waitFor(async () => 'changed' in ((await pin()) ?? {}), { describe: 'the change to be noticed' });
  expect(await pin()).toEqual({ integrity: first, changed: second });

  // A new version is the author's.
  await publish(registry, { ...described, version: '2.0.0' });
  expect(await shown()).toBe('second');
});
