import { Parser } from 'n3';
import { expect, test } from 'vitest';
import { shapeIri } from '../src/component/shape-names.js';
import { examplesIn } from '../src/example-data.js';
import { BASE, component, createTestApp } from './acceptance/adapters/registry-app.js';
import { browse } from './support/explorer-pages.js';

const examples = examplesIn(new URL('../', import.meta.url));

test('each example is a document of its own, and is found by every class of what it is about', async () => {
  const { documents, nameFor } = await examples();
  expect(documents.size).toBeGreaterThan(15);
  for (const [name, text] of documents) {
    const quads = new Parser({ baseIRI: 'https://x.example/' }).parse(text);
    expect(quads.filter(({ subject }) => subject.value === 'https://x.example/#it').length).toBeGreaterThan(
      2,
    );
    const classes = quads.flatMap(({ subject, predicate, object }) =>
      subject.value.endsWith('#it') && predicate.value.endsWith('#type') ? object.value : [],
    );
    for (const shape of classes) expect([shape, nameFor({ shapes: [shape] })]).toEqual([shape, name]);
  }
  expect(nameFor({ shapes: ['http://schema.org/Recipe'] })).toBe('schema-Recipe.ttl');
  expect(nameFor({ shapes: [shapeIri('rdfs:Resource')] })).toBe('foaf-Person.ttl');
  const capability = [{ resourceType: [shapeIri('skos:Concept')] }];
  expect(nameFor({ shapes: ['urn:x:shape'], capability })).toBe('skos-Concept.ttl');
  expect(nameFor({ shapes: ['urn:x:shape'] })).toBeUndefined();
});

test('the page of a component shows it with what its author names, else with an example of its shape, else not', async () => {
  const app = await createTestApp({}, { packageFolder: new URL('../', import.meta.url) });
  const [uri, example] = ['https://c.example/a.js', 'https://data.example/it.ttl#it'];
  const page = async (more: object) => {
    await app.registry.upsertLocal([component(uri, more)]);
    return (await browse(app, `/c/${encodeURIComponent(uri)}`)).text();
  };
  const frame = (entry: string) =>
    `data-frame="/frame?${new URLSearchParams({ uri, entry })}"`.replace('&', '&amp;');
  const shapes = ['https://schema.org/Recipe'];
  expect(await page({ shapes, example })).toContain(frame(example));
  expect(await page({ shapes })).toContain(frame(`${BASE}/demo/examples/schema-Recipe.ttl#it`));
  expect(await page({ shapes: ['urn:x:None'] })).not.toContain('data-frame');
  expect((await app.app.request('/demo/examples/schema-Recipe.ttl')).status).toBe(200);
});
