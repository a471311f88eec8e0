import { expect, test } from 'vitest';
import type { Capability } from '../../src/component/capability.js';
import { openings } from '../../src/host/invocation/open-with.js';

const opener = (template: string): Capability => ({
  action: 'odrl:display',
  invocation: [
    { type: 'ac:UriTemplateInvocation', template, mapping: [{ variable: 'x', property: 'ac:open' }] },
  ],
});
const application = (i: number) => ({
  uri: `https://app${i}.example/`,
  // A template that names its variable three times makes none.
  capability: ['{x}{x}', '', '&again'].map((end) => opener(`?n=${i}&open={x}${end}`)),
});

test('a dozen links are made, those of the first applications', () => {
  const urls = openings(
    Array.from({ length: 1000 }, (_, i) => application(i)),
    'https://d.example/',
  ).map(({ url }) => url);
  expect(urls).toHaveLength(12);
  expect(urls[11]).toBe('https://app5.example/?n=5&open=https%3A%2F%2Fd.example%2F&again');
});
