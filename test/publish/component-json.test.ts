import { describe, expect, it } from 'vitest';
import { componentJsonSchema, readComponentJson } from '../../src/publish/manifests.js';

describe('component.json', () => {
  it('describes one element, or several', () => {
    expect(readComponentJson('{"shapes": ["foaf:Person"]}')).toEqual([{ shapes: ['foaf:Person'] }]);
    expect(readComponentJson('[{"element": "a-b"}, {"element": "c-d"}]')).toHaveLength(2);
  });

  it.each([
    ['{', 'component.json is not JSON'],
    ['[]', 'component.json describes nothing'],
    ['{"shape": ["foaf:Person"]}', 'shape is none of its keys, did you mean shapes?'],
    ['{"latest": "yes"}', 'latest must be true or false'],
  ])('says what is wrong with %s', (text, fault) => {
    expect(() => readComponentJson(text)).toThrow(fault);
  });

  it('has a schema for editors, with what each key means', () => {
    const text = JSON.stringify(componentJsonSchema());
    for (const key of ['shapes', 'element', 'uri', 'label', '$schema']) expect(text).toContain(`"${key}"`);
    expect(text).toContain('what it renders');
  });
});
