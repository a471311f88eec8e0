import { describe, expect, test } from 'vitest';
import { analyseModule } from '../../src/lint/module-analysis.js';

const ELEMENT =
  'class extends HTMLElement { static observedAttributes = ["entry"]; constructor() { super(); this.attachShadow({ mode: "open" }); } }';

/** What is wrong, and what could be better, without the advice on how. */
function complaints(source: string): string[] {
  return analyseModule(source).flatMap(({ level, what }) => (level === 'ok' ? [] : [`${level}: ${what}`]));
}

describe('an element is found', () => {
  test.each([
    ['as the default export', `export default ${ELEMENT}`],
    ['under a name', `const Card = ${ELEMENT}; export default Card;`],
    ['as bundlers write it', `var t=${ELEMENT},e=t;export{e as default};`],
    ['as a named class', `export ${ELEMENT.replace('class', 'class Card')}`],
    [
      'built on a base class that is bundled',
      `class Base extends HTMLElement { attachShadow() {} get entry() {} } export default class extends Base {}`,
    ],
  ])('%s', (_how, source) => {
    expect(complaints(source)).toEqual([]);
  });

  test.each([
    `customElements.define('x-y', ${ELEMENT});`,
    `window.customElements.define('x-y', ${ELEMENT});`,
    `customElements.get('x-y') || customElements.define('x-y', ${ELEMENT});`,
  ])('when it is only defined: %s', (source) => {
    expect(complaints(source)).toEqual(['advice: it defines an element, and exports none']);
  });
});

test.each([
  ['export default 5;', 'error: its default export is a plain value'],
  ['export default () => 1;', 'error: its default export is a function'],
  ['export default class {}', 'error: its default export is a class that extends nothing'],
  ['export const x = 1;', 'error: it exports no element class and defines no element'],
  ['', 'error: it exports no element class and defines no element'],
  [
    '// customElements.define("x-y", class extends HTMLElement {})',
    'error: it exports no element class and defines no element',
  ],
  [
    'export default make("entry");',
    'advice: what it exports is the result of a computation: whether that is an element shows only when it runs',
  ],
  ['export default class extends HTMLElement { entry; }', 'advice: it seems to have no shadow root'],
])('%s', (source, expected) => {
  expect(complaints(source)).toEqual([expected]);
});

test.each([
  ["import 'lit';", 'error: it imports lit, which no browser can find, and nobody can pin'],
  ["export * from './part.js';", 'advice: it imports ./part.js'],
  ["import x from 'https://cdn.example/x.js';", 'advice: it imports https://cdn.example/x.js'],
])('%s', (statement, expected) => {
  expect(complaints(`${statement}\nexport default ${ELEMENT}`)).toEqual([expected]);
});

const element = (body: string) =>
  `export default class extends HTMLElement { static observedAttributes = ["entry"]; x() { this.attachShadow({}); ${body} } }`;

test.each([
  [
    'an element that reads no entry',
    'export default class extends HTMLElement { x() { this.attachShadow({}); } }',
  ],
  [
    'one that defines itself',
    'customElements.define("x-y", class extends HTMLElement { x() { this.attachShadow({}); } });',
  ],
])('%s is told so', (_what, source) => {
  expect(complaints(source)).toContain('advice: nothing in it reads the attribute entry');
});

test('an element whose base class is imported may read its entry there', () => {
  const source = "import { Base } from 'https://c.example/base.js'; export default class extends Base {}";
  expect(complaints(source)).toEqual(['advice: it imports https://c.example/base.js']);
});

test.each([
  ["import('./part.js');", 'advice: while it runs, it imports ./part.js'],
  ["import('lit');", 'error: while it runs, it imports lit, which no browser can find, and nobody can pin'],
  ['import(this.where);', 'advice: it imports other modules while it runs'],
])('%s', (statement, expected) => {
  expect(complaints(element(statement))).toEqual([expected]);
});

describe('data events', () => {
  const DEAF = 'advice: its data events do not bubble, or end at the shadow root that they come from';
  test.each([
    "new CustomEvent('component-data-read', { detail: {} })",
    "new CustomEvent('component-data-write')",
    "new CustomEvent('semcom-data-read', { detail: {}, bubbles: true })",
    "new CustomEvent('component-data-append', { detail: {}, bubbles: true, composed: false })",
    "new CustomEvent('component-data-append', { detail: {}, bubbles: !1, composed: !0 })",
    "const ask = (name) => new window.CustomEvent(name, { detail: {} }); ask('component-data-read');",
  ])('that are not heard at the document: %s', (statement) => {
    expect(complaints(element(statement))).toEqual([DEAF]);
  });

  test.each([
    "new CustomEvent('component-data-read', { detail: {}, bubbles: true, composed: true })",
    "new CustomEvent('component-data-read', { detail: {}, bubbles: !0, 'composed': !0 })",
    "new CustomEvent('component-data-read', { detail: {}, ...this.options })",
    "new CustomEvent('component-data-read', this.options)",
    "new CustomEvent('changed', { detail: {} })",
    "const tell = (name) => new CustomEvent(name, { detail: {} }); tell('changed');",
  ])('that may be, or other events: %s', (statement) => {
    expect(complaints(element(statement))).toEqual([]);
  });
});

test.each([
  ["this.css = '@import url(https://cdn.example/a.css);'", 'https://cdn.example/a.css'],
  ['this.css = `@import "//cdn.example/b.css";`', '//cdn.example/b.css'],
  ['this.html = \'<link rel="stylesheet" href="https://cdn.example/c.css">\'', 'https://cdn.example/c.css'],
  ["this.link.href = 'https://cdn.example/d.css?v=1'", 'https://cdn.example/d.css?v=1'],
])('%s loads a stylesheet', (statement, url) => {
  expect(complaints(element(statement))).toEqual([`advice: it loads the stylesheet ${url}`]);
});

test.each([
  "this.css = '@import url(#local);'",
  'this.html = `<link rel="icon" href="https://c.example/i.png">`',
])('%s loads none', (statement) => {
  expect(complaints(element(statement))).toEqual([]);
});

test.each([
  ['broken', 'export default class {'],
  ['not a module', 'with (x) {}'],
  ['nested beyond all measure', `export default ${'['.repeat(100_000)}`],
  ['HTML', '<!doctype html><title>Not found</title>'],
])('what is %s does not parse', (_what, source) => {
  expect(complaints(source)).toEqual([expect.stringMatching(/^error: it does not parse as an ES module: ./)]);
});

test('nothing of a module runs', () => {
  analyseModule('globalThis.ranInTheNode = true; export default class extends HTMLElement {}');
  expect((globalThis as { ranInTheNode?: boolean }).ranInTheNode).toBeUndefined();
});

describe('a module that is written to take long', () => {
  test('is given up', () => {
    const names = Array.from({ length: 150_000 }, (_, i) => `a${i}`).join(',');
    expect(complaints(`let ${names};`)).toEqual([expect.stringMatching(/it takes more than 1\d\d\d ms/)]);
  });

  test('is not looked into where that would take minutes', () => {
    const groups = Array.from({ length: 60_000 }, () => '(?<a>)').join('|');
    expect(complaints(`export default ${ELEMENT}; /${groups}/v`)).toEqual([]);
  });
});
