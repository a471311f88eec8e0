import { describe, expect, test } from 'vitest';
import { analyseModule } from '../../src/lint/module-analysis.js';

const ELEMENT = 'class extends HTMLElement { static observedAttributes = ["entry"]; }';

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
      'class Base extends HTMLElement { get entry() {} } export default class extends Base {}',
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

const element = (body: string) => `export default class extends HTMLElement { x() { ${body} } }`;

test.each([
  ["import('./part.js');", 'advice: while it runs, it imports ./part.js'],
  ["import('lit');", 'error: while it runs, it imports lit, which no browser can find, and nobody can pin'],
  ['import(this.where);', 'advice: it imports other modules while it runs'],
])('%s', (statement, expected) => {
  expect(complaints(element(statement))).toEqual([expected]);
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
