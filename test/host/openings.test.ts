import { expect, test } from 'vitest';
import type { Capability } from '../../src/component/capability.js';
import { openings } from '../../src/host/invocation/open-with.js';

const opener = (template: string): Capability => ({
  action: 'odrl:display',
  invocation: [
    { type: 'ac:UriTemplateInvocation', template, mapping: [{ variable: 'x', property: 'ac:open' }] },
  ],
});
const application = (i: number, template = `?n=${i}&open={x}`) => ({
  uri: `https://app${i}.example/`,
  capability: [opener(template), opener(`${template}&again`)],
});

test('a dozen links are made, those of the first applications', () => {
  const urls = openings(
    Array.from({ length: 1000 }, (_, i) => application(i)),
    'https://d.example/',
  ).map(({ url }) => url);
  expect(urls).toHaveLength(12);
  expect(urls[11]).toBe('https://app5.example/?n=5&open=https%3A%2F%2Fd.example%2F&again');
});

test('a template that names its variable a thousand times makes none', () => {
  const some = [application(0, '{x}'.repeat(1000)), application(1)];
  expect(openings(some, 'https://d.example/')).toHaveLength(2);
});
