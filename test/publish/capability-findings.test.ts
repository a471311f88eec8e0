import { expect, test } from 'vitest';
import type { Capability, Invocation } from '../../src/component/capability.js';
import { capabilityFindings } from '../../src/publish/metadata-rules.js';
import { analyseModule } from '../../src/lint/module-analysis.js';

const whats = (...capabilities: Capability[]) => capabilityFindings(capabilities).map(({ what }) => what);
const invoked = (invocation: Invocation) => whats({ action: 'odrl:display', invocation: [invocation] });
const element = { type: 'ElementInvocation' as const, element: 'x-y' };

test('nothing is said of what is complete', () => {
  expect(invoked({ ...element, mapping: [{ variable: 'src', property: 'ac:open' }] })).toEqual([]);
  const mapping = [{ variable: 'open', property: 'ac:open' }];
  expect(invoked({ type: 'ac:UriTemplateInvocation', template: '#open={open}', mapping })).toEqual([]);
});

test.each<[Invocation, string[]]>([
  [{ ...element, mapping: [] }, ['nothing tells x-y what to show']],
  [
    {
      ...element,
      mapping: [
        { variable: 'a', property: 'dta' },
        { variable: 'b', property: 'data' },
      ],
    },
    ['no host knows what dta means, to which x-y maps something'],
  ],
  [
    {
      ...element,
      mapping: [
        { variable: 'a', property: 'data' },
        { variable: 'b', property: 'shapes' },
      ],
    },
    ['x-y is to be given shapes, and its capability names none'],
  ],
  [
    { type: 'FragmentInvocation', fragment: '<x-y onclick="a()"></x-y>', module: [] },
    [
      'a fragment has no {open}',
      'a fragment has a script in it',
      'a fragment has custom elements, and names no module',
    ],
  ],
  [
    { type: 'FragmentInvocation', fragment: '{open}', module: [{ uri: 'https://x.example/y.js' }] },
    ['the module https://x.example/y.js of a fragment has no integrity'],
  ],
  [
    {
      type: 'ac:UriTemplateInvocation',
      template: '#o={o}',
      mapping: [{ variable: 'open', property: 'ac:open' }],
    },
    ['nothing says what {o} in #o={o} means', '#o={o} has no {open}, to which a mapping belongs'],
  ],
])('%j', (invocation, expected) => {
  expect(invoked(invocation)).toEqual(expected);
});

test('an action and a way to invoke are missed once, however many capabilities lack them', () => {
  const lacking = { invocation: [] };
  expect(whats(lacking, lacking)).toEqual([
    'a capability names no action',
    'a capability names no way to invoke it',
  ]);
});

test('an element that is declared need not be exported, nor read entry; what it imports is told', () => {
  const source = "import 'lit'; import './part.js';";
  expect(
    analyseModule(source, { declaresElement: true }).map(({ level, what }) => `${level}: ${what}`),
  ).toEqual([
    'ok: it parses as an ES module',
    'error: it imports lit, which no browser can find, and nobody can pin',
    'advice: it imports ./part.js',
  ]);
});

test('of one kind, a dozen are told, in short', () => {
  const names = Array.from({ length: 300 }, (_, i) => `a${i}`);
  const template = `https://open.example/{?${names.join(',')}}`;
  const told = invoked({ type: 'ac:UriTemplateInvocation', template, mapping: [] });
  expect(told).toHaveLength(13);
  expect(told[0]).toMatch(/^nothing says what \{a0\} in https:\/\/open\.example\/.{40,60} … means$/);
  expect(told[12]).toBe('and 288 more');
});
