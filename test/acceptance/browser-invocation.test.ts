import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import type { ElementInvocation, FragmentInvocation } from '../../src/component/capability.js';
import type { Showable } from '../../src/host/show-component.js';
import { oneTab } from '../support/browser/browser.js';
import {
  hash,
  hurried,
  offerData,
  offerModule,
  open,
  show,
  strangerSite,
  TURTLE,
  visitHostPage,
} from '../support/browser/host-page.js';
import type { FakeServer } from '../support/fake-server.js';
import { componentFile } from '../support/sample-components.js';
import { type InProcessNode, startInProcess } from './adapters/in-process-node.js';

const FOAF = 'http://xmlns.com/foaf/0.1/';

let node: InProcessNode;
/** The site of the host application, and one with data, shapes and modules. */
let site: FakeServer;
let elsewhere: FakeServer;

beforeAll(async () => {
  node = await startInProcess();
  [site, elsewhere] = [await strangerSite(), await strangerSite()];
  offerData(site, '/ann', `<> <${FOAF}primaryTopic> <#me>. <#me> a <${FOAF}Person>; <${FOAF}name> "Ann".`);
  elsewhere.on('/shapes', open(TURTLE, '<#Person> <urn:of> [ <urn:is> "a shape" ].'));
});

const inTab = oneTab();
const hostPage = () => visitHostPage(site, node.url, { go: inTab });

/** A component that is put to work by its element. */
async function described(
  file: string,
  invocation: Partial<ElementInvocation> & Pick<ElementInvocation, 'element'>,
  more: object = {},
): Promise<Showable> {
  const uri = await offerModule(elsewhere, file);
  const known = { type: 'ElementInvocation', mapping: [{ variable: 'rdf', property: 'data' }] } as const;
  return { uri, label: file, tag: [], capability: [{ invocation: [{ ...known, ...invocation }], ...more }] };
}
const note = (invocation: Partial<ElementInvocation> = {}, more: object = {}) =>
  described('elements/note-view.js', { element: 'note-view', ...invocation }, more);

describe('an element invocation', () => {
  test('gives the element of a module what its metadata says, and nothing else', async () => {
    const { page, complaints } = await hostPage();
    const mapping = [
      { variable: 'rdf', property: 'data' },
      { variable: 'about', property: 'subject' },
      { variable: 'shapes', property: 'shapes' },
      { variable: 'data-shape', property: 'shapeSubject' },
      { variable: 'data-of-others', property: 'https://others.example/data' },
    ];
    const shape = [elsewhere.url('/shapes#Person')];
    expect(await show(page, await note({ mapping, fixed: { lang: 'en' } }, { shape }), '/ann')).toBe(
      'note-view',
    );
    await page.getByText(`"Ann" .`).waitFor();
    const shown = page.locator('note-view');
    for (const part of ['#me', '"a shape"', elsewhere.url('/shapes#Person')])
      await expect.poll(() => shown.locator('p').textContent()).toContain(part);
    const names = await shown.evaluate((one) => one.getAttributeNames());
    expect(names).toEqual(['lang', 'rdf', 'shapes', 'data-shape']);
    const [request] = elsewhere.requests.filter(({ url }) => url === '/shapes');
    expect([request?.headers.cookie, request?.headers.referer]).toEqual([undefined, undefined]);
    expect(complaints).toEqual([]);
  });

  test('reads private data with the fetch of the page, and only that', async () => {
    const { page } = await hostPage();
    const headers = { 'access-control-allow-headers': '*' };
    elsewhere.on('/private', ({ method, headers: { authorization } }) => {
      if (method === 'OPTIONS') return open(TURTLE, '', { headers });
      if (authorization === 'DPoP secret') return open(TURTLE, '<> <urn:says> "private words".');
      return open(TURTLE, '', { status: authorization ? 403 : 401, headers });
    });
    const showPrivate = (component: Showable) =>
      page.evaluate(
        async ([component, entry]) => {
          const fetch = (url: string, init?: RequestInit) =>
            window.fetch(url, { ...init, headers: { ...init?.headers, authorization: 'DPoP secret' } });
          const into = document.querySelector('main') ?? document.body;
          await window.host.showComponent(component, entry, { into, fetch });
        },
        [component, elsewhere.url('/private')] as const,
      );
    await showPrivate(await note());
    await page.getByText('private words').waitFor();
    const mapping = [{ variable: 'src', property: 'ac:open' }];
    await showPrivate(await described('elements/url-view.js', { element: 'url-view', mapping }));
    await page.getByText('answered with 401').waitFor();
  });

  test('that never appears or shows nothing is an error, and leaves the place as it was', async () => {
    // A page of its own, because its clock goes faster from then on.
    const { page } = await visitHostPage(site, node.url);
    const absent = await described('hostile/no-element.js', { element: 'never-there' });
    const blank = await described('elements/blank-view.js', { element: 'blank-view' });
    const [first, second] = await hurried(page, () =>
      Promise.all([absent, blank].map((one) => show(page, one, '/ann'))),
    );
    expect(first).toMatch(/^module: .*has not defined .* never-there within 5 s$/);
    expect(second).toMatch(/^module: .*blank-view\.js shows nothing after 5 s$/);
    expect(await page.locator('section > *').count()).toBe(0);
  });

  test.each([
    ['{"onclick": "x"}', { fixed: { onclick: 'window.bad = 1' } }],
    ['data as a script', { mapping: [{ variable: 'onfocus', property: 'data' }] }],
  ])('sets no attribute that holds a script: %s', async (_what, invocation) => {
    const { page } = await hostPage();
    expect(await show(page, await note(invocation), '/ann')).toMatch(
      /^module: .* the attribute on\w+ would hold a script/,
    );
  });

  test('never sets what every element has: data does not become HTML', async () => {
    const { page } = await hostPage();
    offerData(site, '/evil', `<> <urn:x> "<img src=x onerror='window.bad = 1'>".`);
    const mapping = ['innerHTML', 'rdf'].map((variable) => ({ variable, property: 'data' }));
    await show(page, await note({ mapping }), '/evil');
    await page.getByText('onerror').first().waitFor();
    expect(await page.locator('img').count()).toBe(0);
    expect(await page.evaluate(() => 'bad' in window)).toBe(false);
  });
});

test('of two modules that define one element, the second runs in a frame without the origin of the page', async () => {
  const { page, complaints } = await hostPage();
  const file = 'elements/other-note-view.js';
  const [first, second] = [await note(), await described(file, { element: 'note-view' })];
  const frame = page.frameLocator('iframe');
  // Again and again, in this order or the other.
  for (let i = 0; i < 2; i++) {
    expect(await show(page, first, '/ann')).toBe('note-view');
    expect(await show(page, second, '/ann')).toBe('iframe');
  }
  await frame
    .first()
    .getByText(/The other one, with no page: .*"Ann"/s)
    .waitFor();
  const { height } = (await page.locator('iframe').first().boundingBox()) ?? { height: 0 };
  expect(height).toBeLessThan(200);
  expect(complaints).toEqual([]);
  // Bytes are checked there, too.
  const { page: other } = await hostPage();
  await show(other, first, '/ann');
  const integrity = hash('other bytes');
  expect(await show(other, { ...second, integrity }, '/ann')).toMatch(
    /^integrity: .*, in a frame: .*promised was/,
  );
  const right = { ...second, integrity: hash(await componentFile(file)) };
  expect(await show(other, right, '/ann')).toBe('iframe');
});

describe('a fragment', () => {
  let page: Page;
  let complaints: string[];
  beforeAll(async () => {
    // In a tab of its own, because one test makes its clock go faster.
    ({ page, complaints } = await visitHostPage(site, node.url));
  });

  /** Shows a fragment on the page. Gives its HTML, or what went wrong. */
  async function shown(fragment: string, entry = 'https://data.example/a'): Promise<string> {
    const uri = await offerModule(site, 'elements/fragment-parts.js');
    const invocation: FragmentInvocation = { type: 'FragmentInvocation', fragment, module: [{ uri }] };
    const component = { uri: 'https://app.example/', tag: [], capability: [{ invocation: [invocation] }] };
    const outcome = await show(page, component, entry);
    return outcome === 'div' ? page.locator('main > section:last-child > div').innerHTML() : outcome;
  }

  test('is shown with the address in its hole, in templates, too', async () => {
    const html = await shown(
      '<part-outer uri="{open}"><h2>At {open}</h2><part-list><template><a href="{open}" title="x {open} y">z</a></template></part-list></part-outer>',
    );
    const link = '<a href="https://data.example/a" title="x https://data.example/a y">z</a>';
    expect(html).toContain(
      '<part-outer uri="https://data.example/a">outer of https://data.example/a: <h2>At https',
    );
    expect(html.split(link)).toHaveLength(4);
    expect(complaints).toEqual([]);
  });

  test.each([
    ['"onclick="window.bad=1"x="', '<part-outer uri="{open}">x</part-outer>'],
    ['</p><img src=x onerror=window.bad=1>', '<part-outer uri="{open}"><p>{open}</p></part-outer>'],
    ["'><script>window.bad=1</script>", "<part-outer uri='{open}'><a href='{open}'>x</a></part-outer>"],
    ['{open}$&', '<part-outer uri={open}>x</part-outer>'],
  ])('%s stays a part of an address', async (end, fragment) => {
    const entry = `https://data.example/${end}`;
    await shown(fragment, entry);
    const outer = page.locator('part-outer').last();
    expect(await outer.getAttribute('uri')).toBe(entry);
    const names = await outer.evaluate((one) =>
      [...one.querySelectorAll('*'), one].flatMap((all) => all.getAttributeNames()),
    );
    expect(names).not.toContain('onclick');
    expect(await page.locator('main img, main script').count()).toBe(0);
    expect(await page.evaluate(() => 'bad' in window)).toBe(false);
  });

  /** What is left of HTML; the word before it can be seen. */
  const sanitised = async (html: string) => (await shown(`<p>shown</p>${html}`)).slice('<p>shown</p>'.length);

  const HARMLESS = [
    '<p class="a" slot="b" lang="en">ok <b>bold</b></p>',
    '<img src="https://x.example/a.png" alt="a">',
    '<a href="/x">x</a>',
  ];
  const BAD = 'window.bad=1';
  const HOSTILE = [
    `<script>${BAD}</script>x`,
    `<img src=x onerror=${BAD}>`,
    `<part-outer onclick=${BAD} ONMOUSEOVER=${BAD}>x</part-outer>`,
    `<a href="javascript:${BAD}">x</a>`,
    `<part-outer uri="javascript:${BAD}" href="javascript:${BAD}">x</part-outer>`,
    `<a href="data:text/html,<script>${BAD}</script>">x</a>`,
    `<iframe srcdoc="<script>parent.bad=1</script>"></iframe>x`,
    `<part-outer srcdoc="<script>${BAD}</script>">x</part-outer>`,
    `<iframe src="javascript:${BAD}"></iframe><object data="javascript:${BAD}"></object><embed src="javascript:${BAD}">x`,
    `<svg onload=${BAD}><animate onbegin=${BAD} attributeName=x></svg>x`,
    `<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=${BAD}&gt;">`,
    `<form action="https://x.example/"><button formaction="javascript:${BAD}">x</button></form>`,
    `<style>@import "https://x.example/a.css"; * { display: none }</style>x`,
    `<p style="position:fixed;inset:0">x</p>`,
    `<template><script>${BAD}</script><img src=x onerror=${BAD}></template>x`,
    `<part-list><template shadowrootmode=open><script>${BAD}</script></template></part-list>`,
    `<div><template shadowrootmode=open><slot onslotchange=${BAD}></slot></template>x</div>`,
    `<slot name="x" onslotchange=${BAD}>x</slot>`,
    `<button is="page-button" onclick=${BAD}>x</button>`,
    `<a href="https://x.example/" ping="https://y.example/">x</a>`,
    `<img srcset="javascript:${BAD} 1x" src="https://x.example/a.png">`,
    `<a href="vbscript:x">x</a><a href="blob:https://x.example/a">x</a>`,
  ];
  /** Elements, attributes and addresses that run something. */
  const FORBIDDEN =
    /<\/?(script|style|iframe|object|embed|svg|math|form|base|link|meta|noscript|xmp)|\s(on\w+|style|srcdoc|srcset|formaction|ping|is|shadowrootmode)=|="\s*(javascript|d\s*a\s*t\s*a|vbscript|blob):/i;

  test('loses whatever could run, wherever it stands, and keeps what runs nothing', async () => {
    for (const html of HARMLESS) expect(await sanitised(html)).toBe(html);
    for (const html of HOSTILE) {
      const kept = await sanitised(html);
      expect([html, kept]).not.toEqual([html, expect.stringMatching(FORBIDDEN)]);
    }
    expect(await page.evaluate(() => 'bad' in window)).toBe(false);
  });

  test('has no elements but those of the modules that it names', async () => {
    await page.evaluate(() => {
      const element = class extends HTMLElement {
        connectedCallback() {
          Object.assign(window, { admin: true });
        }
      };
      customElements.define('page-admin', element);
    });
    for (const name of ['page-admin', 'never-there']) {
      const fragment = `<part-outer uri="{open}"><${name}></${name}></part-outer>`;
      expect(await hurried(page, () => shown(fragment))).toMatch(
        new RegExp(`has not defined the element ${name} within 5 s`),
      );
    }
    expect(await page.evaluate(() => 'admin' in window)).toBe(false);
  });
});
