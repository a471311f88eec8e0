import { Parser } from 'n3';
import { expect, test } from 'vitest';
import { respelled } from '../../src/host/invocation/respelled.js';
import { toTriples } from '../../src/host/rdf.js';

const [HTTP, HTTPS] = ['http://schema.org/', 'https://schema.org/'];
const data = (namespace: string) =>
  `<http://schema.org/x> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <${namespace}Person> .\n<http://schema.org/x> <${namespace}name> "http://schema.org/" .\n`;

test.each([
  [HTTP, [`${HTTPS}Person`], HTTPS],
  [HTTPS, [`${HTTP}Person`], HTTP],
  [HTTP, [`${HTTP}Person`], HTTP],
  [HTTP, [`${HTTP}Person`, `${HTTPS}Person`], HTTP],
  [HTTP, ['http://xmlns.com/foaf/0.1/Person'], HTTP],
])('data in %s for a component with %j is in %s', (from, classes, to) => {
  expect(toTriples(respelled(new Parser().parse(data(from)), classes))).toBe(data(to));
});
