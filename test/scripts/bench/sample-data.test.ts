import { describe, expect, it } from 'vitest';
import { ratios, spreadOf } from '../../../scripts/bench/row.js';
import { sampleComponent, sampleComponents } from '../../../scripts/bench/sample-data.js';
import { metadataSchema } from '../../../src/component/metadata.js';
import { listingObject } from '../../support/listing-object.js';
import { BASE_URL, VOCABULARY } from '../../support/registry.js';

describe('sample components', () => {
  it('are valid, different, and the same every time', () => {
    const components = [...sampleComponents(0, 500)];
    for (const component of components) expect(metadataSchema.parse(component)).toEqual(component);
    expect(new Set(components.map(({ uri }) => uri)).size).toBe(500);
    expect(sampleComponent(321)).toEqual(components[321]);
  });

  it('are about as long in a listing as real ones', () => {
    const naming = { baseUrl: BASE_URL, vocabulary: VOCABULARY };
    const lengths = [...sampleComponents(0, 500)].map(
      (component) => JSON.stringify(listingObject(component, naming)).length,
    );
    expect(spreadOf(lengths).median).toBeGreaterThan(1000);
    expect(spreadOf(lengths).median).toBeLessThan(1700);
  });

  it('have another version and address with each release', () => {
    const [before, after] = [sampleComponent(7), sampleComponent(7, 1)];
    expect(after).toEqual({ ...before, version: after.version, uri: after.uri });
    expect([after.version === before.version, after.uri === before.uri]).toEqual([false, false]);
  });
});

it('tells the median and the spread of values, each beside its floor', () => {
  expect(spreadOf([3, 1, 2])).toEqual({ median: 2, least: 1, most: 3 });
  expect(spreadOf([4, 1, 2, 3]).median).toBe(2.5);
  expect(ratios([1, 3], [2, 4])).toEqual([0.5, 0.75]);
});
