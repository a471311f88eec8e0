import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import type { FragmentInvocation } from '../../src/component/capability.js';
import { offerModule, strangerSite } from '../support/browser/browser-host.js';
import { hurried, visitHostPage } from '../support/browser/browser-host-app.js';
import type { FakeServer } from '../support/fake-server.js';
import { type InProcessNode, startInProcess } from './adapters/in-process-node.js';

let node: InProcessNode;
let site: FakeServer;
let page: Page;
let complaints: string[];

beforeAll(async () => {
  node = await startInProcess();
  site = await strangerSite();
  ({ page, complaints } = await visitHostPage(site, node.url));
});

/** Shows a fragment on the page; what went wrong is in the answer. */
async function show(fragment: string, entry = 'https://data.example/a', on = page): Promise<string> {
  const uri = await offerModule(site, 'elements/fragment-parts.js');
  const invocation: FragmentInvocation = { type: 'FragmentInvocation', fragment, module: [{ uri }] };
  return on.evaluate(
    async ([invocation, entry]) => {
      const into = document.querySelector('main') ?? document.body;
      const component = { uri: 'https://app.example/', tag: [], capability: [{ invocation: [invocation] }] };
      try {
        const { element } = await window.host.showComponent(component, entry, { into });
        return element.localName === 'div' ? element.innerHTML : element.localName;
      } catch (error) {
        return String((error as Error).message);
      }
    },
    [invocation, entry] as const,
  );
}

describe('a fragment', () => {
  test('is shown with the address in its hole, in templates, too', async () => {
    const html = await show(
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
    ['https://data.example/"onclick="window.bad=1"x="', '<part-outer uri="{open}">x</part-outer>'],
    [
      'https://data.example/</p><img src=x onerror=window.bad=1>',
      '<part-outer uri="{open}"><p>{open}</p></part-outer>',
    ],
    [
      "https://data.example/'><script>window.bad=1</script>",
      "<part-outer uri='{open}'><a href='{open}'>x</a></part-outer>",
    ],
    ['https://data.example/{open}$&', '<part-outer uri={open}>x</part-outer>'],
  ])('%s stays an address', async (entry, fragment) => {
    await show(fragment, entry);
    const shown = page.locator('part-outer');
    expect(await shown.getAttribute('uri')).toBe(entry);
    expect(
      await shown.evaluate((one) =>
        [...one.querySelectorAll('*'), one].flatMap((all) => all.getAttributeNames()),
      ),
    ).not.toContain('onclick');
    expect(await page.locator('main img, main script').count()).toBe(0);
    expect(await page.evaluate(() => 'bad' in window)).toBe(false);
  });

  test('has no elements but those of the modules that it names', async () => {
    await page.evaluate(() => {
      if (customElements.get('page-admin')) return;
      customElements.define(
        'page-admin',
        class extends HTMLElement {
          connectedCallback() {
            Object.assign(window, { admin: true });
          }
        },
      );
    });
    for (const name of ['page-admin', 'never-there']) {
      const fragment = `<part-outer uri="{open}"><${name}></${name}></part-outer>`;
      expect(await hurried(page, () => show(fragment))).toMatch(
        new RegExp(`has not defined the element ${name} within 5 s`),
      );
    }
    expect(await page.evaluate(() => 'admin' in window)).toBe(false);
  });
});

describe('what is sanitised', () => {
  /** What is left of HTML; the word before it can be seen. */
  const sanitised = async (html: string) => (await show(`<p>shown</p>${html}`)).slice('<p>shown</p>'.length);

  test.each([
    '<p class="a" slot="b" lang="en">ok <b>bold</b></p>',
    '<img src="https://x.example/a.png" alt="a">',
    '<a href="/x">x</a>',
  ])('stays: %s', async (html) => {
    expect(await sanitised(html)).toBe(html);
  });

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
  test('goes, whatever could run, and wherever it stands', async () => {
    for (const html of HOSTILE) {
      const kept = await sanitised(html);
      expect([html, kept]).not.toEqual([html, expect.stringMatching(FORBIDDEN)]);
    }
    expect(await page.evaluate(() => 'bad' in window)).toBe(false);
  });
});

/** Elements, attributes and addresses that run something. */
const FORBIDDEN =
  /<\/?(script|style|iframe|object|embed|svg|math|form|base|link|meta|noscript|xmp)|\s(on\w+|style|srcdoc|srcset|formaction|ping|is|shadowrootmode)=|="\s*(javascript|d\s*a\s*t\s*a|vbscript|blob):/i;
