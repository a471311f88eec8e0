import { DataFactory } from 'n3';
import { describe, expect, it } from 'vitest';
import { type Capability, hasModule, KINDS } from '../../src/component/capability.js';
import type { Metadata } from '../../src/component/metadata.js';
import type { Described } from '../../src/component/reading/described.js';
import { describedInJson, describedInPostedJson } from '../../src/component/reading/json-descriptions.js';
import { metadataToQuads } from '../../src/component/writing/metadata-quads.js';
import { expectLinear } from '../support/processor-time.js';
import { NAMING } from '../support/registry.js';

const uri = 'https://forms.example/form.js';

const every: readonly Capability[] = [
  {
    id: 'https://forms.example/#capability',
    ...{ action: 'odrl:display', accept: ['text/turtle'], summary: 'Shows a person' },
    invocation: [
      {
        ...{ type: 'ElementInvocation', element: 'shacl-form', fixed: { 'data-view': '' } },
        mapping: [{ variable: 'data-values', property: 'data' }],
        write: { event: 'change', method: 'serialize' },
      },
      { type: 'FragmentInvocation', fragment: '<x-y>', module: [{ uri: 'https://b.example/b.js' }] },
      { type: 'ac:UriTemplateInvocation', template: '#{o}' },
    ],
  },
  { action: 'https://a.example/own', invocation: [] },
];

const component: Metadata = {
  ...{ uri, label: 'Form', author: [], tag: [], shapes: ['http://a.example/Shape'] },
  capability: every,
};

/** What is described without a fault. */
function only({ components, invalid }: Described): Metadata | undefined {
  expect(invalid).toEqual([]);
  expect(components).toHaveLength(1);
  return components[0];
}

function faultsOf(capability: unknown): string[] {
  const { invalid } = describedInPostedJson({ uri, label: 'Form', capability }, NAMING);
  return invalid.flatMap(({ faults }) => faults.map(({ pointer, detail }) => `${pointer} ${detail}`));
}

describe('the nodes of capabilities', () => {
  it('share no node with those of another component, or of the same one in another graph', () => {
    const nodesOf = (one: Metadata, graph: string) =>
      metadataToQuads(one, NAMING.vocabulary, one.uri, DataFactory.namedNode(graph))
        .map(({ subject }) => subject.value)
        .filter((subject) => subject !== one.uri);
    const other = { ...component, uri: 'https://forms.example/other.js' };
    const all = [
      nodesOf(component, 'https://a.example/'),
      nodesOf(component, 'https://b.example/'),
      nodesOf(other, 'https://a.example/'),
    ];
    expect(new Set(all.flat()).size).toBe(all.reduce((sum, nodes) => sum + new Set(nodes).size, 0));
  });
});

describe('capabilities as they are written', () => {
  it('may have whole IRIs, names of the draft, and values that stand alone', () => {
    const open = { variable: 'o', property: 'https://www.w3.org/ns/ac#open' };
    const written = {
      ...{ id: 'https://app.example/#c', type: 'Capability', action: 'http://www.w3.org/ns/odrl/2/modify' },
      ...{ accept: 'text/turtle', resourceType: 'http://a.example/C', shape: [] },
      invocation: { type: 'UriTemplateInvocation', template: '#o={o}', mapping: open },
    };
    const invocation = {
      ...{ type: 'ac:UriTemplateInvocation', template: '#o={o}' },
      mapping: [{ variable: 'o', property: 'ac:open' }],
    };
    const read = only(describedInPostedJson({ uri, label: 'x', capability: written }, NAMING));
    expect(read?.shapes).toEqual(['http://a.example/C']);
    expect(read?.capability).toEqual([
      {
        ...{ id: 'https://app.example/#c', action: 'odrl:modify', accept: ['text/turtle'] },
        ...{ resourceType: ['http://a.example/C'], invocation: [invocation] },
      },
    ]);
  });

  it('name what a description renders that says nothing else about that', () => {
    const capability = [
      { resourceType: ['http://b.example/B'], shape: ['http://a.example/A'] },
      { shape: ['http://a.example/A'] },
    ];
    const both = ['http://a.example/A', 'http://b.example/B'];
    expect(only(describedInPostedJson({ uri, label: 'x', capability }, NAMING))?.shapes).toEqual(both);
    const told = { uri, label: 'x', shapes: ['http://c.example/C'], capability };
    expect(only(describedInPostedJson(told, NAMING))?.shapes).toEqual(['http://c.example/C']);
  });

  const invoked = (invocation: object) => ({ invocation: [invocation] });
  const element = (more: object) => invoked({ type: 'ElementInvocation', element: 'x-y', ...more });
  const fragmentOf = (uri: string) => ({ type: 'FragmentInvocation', fragment: '<b>', module: [{ uri }] });
  const template = { type: 'UriTemplateInvocation', template: '#' };
  const RUNS = 'must not be one that holds a script or HTML';
  const HTTP = 'must be an absolute http or https URL without spaces, user name or password';
  /** In faults, `i` stands for the one invocation. */
  it.each<[capability: unknown, ...faults: string[]]>([
    ['x', ' must be an object'],
    [{ colour: 'red' }, ' has no member colour'],
    [{ action: ['odrl:display', 'odrl:modify'] }, '/action must be a single string'],
    [{ accept: 'turtle' }, '/accept/0 must be a media type'],
    [{ resourceType: ['Person'] }, '/resourceType/0 must be an absolute IRI'],
    [invoked({ element: 'x-y' }), '/i/type is missing'],
    [
      element({ element: 'div', mapping: [{ variable: 'onclick' }] }),
      '/i/element must be the name of a custom element',
      ...[`/i/mapping/0/variable ${RUNS}`, '/i/mapping/0/property is missing'],
    ],
    [
      element({ fixed: { onload: '1', innerHTML: '2' } }),
      ...['innerHTML', 'onload'].map((name) => `/i/fixed/${name} ${RUNS}`),
    ],
    [invoked(fragmentOf('javascript:alert()')), `/i/module/0/uri ${HTTP}`],
    [invoked({ ...template, template: '#open={open' }), '/i/template must be a URI template (RFC 6570)'],
    [invoked({ type: 5 }), `/i/type must be one of ${Object.values(KINDS).join(', ')}`],
    [{ summary: 'lone \ud800' }, '/summary holds characters that are not valid text'],
  ])('are refused with the reason: %j', (capability, ...faults) => {
    const told = faultsOf(capability).map((one) => one.replace(/ capability(\.[\w.]+)?|, and is .*/g, ''));
    expect(told.map((one) => one.replace('/capability', '').replace('/invocation/0', '/i'))).toEqual(faults);
  });

  const many = <T>(length: number, one: (i: number) => T) => Array.from({ length }, (_, i) => one(i));
  const classes = (count: number, of = 0) => ({
    resourceType: many(count, (i) => `http://x.example/${of}/${i}`),
  });
  const fragment = { type: 'FragmentInvocation', fragment: 'x'.repeat(16_000) };
  it.each([
    [many(33, () => ({ action: 'odrl:display' })), 'may have at most 32 capabilities'],
    [[{ invocation: many(17, () => template) }], 'may have at most 16 invocations'],
    [[classes(65)], 'may have at most 64 values'],
    [[classes(40), classes(40, 1)], 'may name at most 64 classes and shapes'],
    [[{ invocation: many(5, () => fragment) }], 'may have at most 65536'],
  ])('are bounded', (capability, fault) => {
    expect(faultsOf(capability).join()).toContain(fault);
  });
});

describe('hasModule', () => {
  it('is so unless a description knows only other ways', () => {
    expect(hasModule(undefined)).toBe(true);
    expect(hasModule([{ action: 'odrl:display' }])).toBe(true);
    expect(hasModule(every)).toBe(true);
    expect(hasModule([{ invocation: [{ type: 'ac:UriTemplateInvocation', template: '#' }] }])).toBe(false);
    expect(hasModule([{ invocation: [] }])).toBe(false);
  });
});

const opened = (template: string) => ({ type: 'ac:UriTemplateInvocation', template });

describe.each([
  ['template', opened('#{x}{x}{x}'), 'may name at most 16 variables, each at most 2 times'],
  ['type', { type: 'https://desktop.example/ns#Command' }, 'is no kind of invocation that is known here'],
])('an invocation whose %s nobody here can use', (member, unusable, words) => {
  const action = 'odrl:display';
  const detail = expect.stringContaining(words);
  const [fine, alone] = [opened('#{x}{x}'), { action, invocation: [unusable] }];
  const read = (...capability: readonly object[]) =>
    describedInJson([{ uri, label: 'Opener', capability }], NAMING.vocabulary);

  it('is left out, and with it the capability that has no other', () => {
    const { components, leftOut } = read(alone, { action, invocation: [unusable, fine] });
    expect(components.map(({ capability }) => capability)).toEqual([[{ action, invocation: [fine] }]]);
    const pointers = [0, 1].map((i) => `/0/capability/${i}/invocation/0/${member}`);
    expect(leftOut).toEqual([{ subject: uri, faults: pointers.map((pointer) => ({ pointer, detail })) }]);
  });

  it('takes a component that says nothing else of how it is used: it would pass for a module', () => {
    expect(read(alone)).toMatchObject({ components: [], invalid: [{ subject: uri, faults: [{ detail }] }] });
    expect(faultsOf([alone])).toEqual([detail]);
  });
});

it('a name that is none costs what its length costs', async () => {
  const named = (element: string) => [{ invocation: [{ type: KINDS.element, element }] }];
  await expectLinear(8_000, (length) => faultsOf(named(`a${'-'.repeat(length)}!`)));
});
