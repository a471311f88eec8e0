import { expect, test } from 'vitest';
import type { Capability, Invocation } from '../../src/component/capability.js';
import { wayOf } from '../../src/host/invocation/way.js';

const element = (name: string): Invocation => ({ type: 'ElementInvocation', element: name, mapping: [] });
const link: Invocation = { type: 'ac:UriTemplateInvocation', template: '#{x}', mapping: [] };
const PERSON = 'urn:Person';
const ODRL = 'http://www.w3.org/ns/odrl/2/';
const BOTH: Capability[] = [
  { action: `${ODRL}modify`, resourceType: [PERSON], invocation: [link, element('edit-it')] },
  { resourceType: [PERSON], invocation: [element('show-it')] },
  { action: 'odrl:display', resourceType: ['urn:Note'], invocation: [element('show-note')] },
];
const chosen = (capability: Capability[] | undefined, purpose: Parameters<typeof wayOf>[1]) => {
  const way = wayOf(capability ? { capability } : {}, purpose);
  if (!way?.invocation) return way && 'events';
  return way.invocation.type === 'ElementInvocation' ? way.invocation.element : way.invocation.type;
};

test.each<[string, Capability[] | undefined, Parameters<typeof wayOf>[1], string | undefined]>([
  ['no capabilities: the four events, for any action', undefined, { action: 'odrl:modify' }, 'events'],
  ['a capability without invocations: the four events', [{ resourceType: [PERSON] }], {}, 'events'],
  ['displaying comes first', BOTH, {}, 'show-it'],
  ['an action by its short name', BOTH, { action: 'odrl:modify' }, 'edit-it'],
  ['an action by its IRI', BOTH, { action: `${ODRL}display` }, 'show-it'],
  ['an action that it has not', BOTH, { action: 'odrl:print' }, undefined],
  ['no action is named, and it can only do another', BOTH.slice(0, 1), {}, 'edit-it'],
  ['those for other resources are not meant', BOTH, { shapes: ['urn:Note'] }, 'show-note'],
  ['none is for such a resource', BOTH, { shapes: ['urn:Other'] }, undefined],
  [
    'one that names no resources is for all',
    [{ invocation: [element('any')] }],
    { shapes: ['urn:O'] },
    'any',
  ],
  ['links are not run', [{ invocation: [link] }], {}, undefined],
  ['no way is known', [{ invocation: [] }], {}, undefined],
])('%s', (_what, capability, purpose, expected) => {
  expect(chosen(capability, purpose)).toBe(expected);
});
