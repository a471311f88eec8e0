import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { takenFrom } from '../../src/component/provenance.js';
import { payloadHash, statementElement } from '../../src/component/statement-digest.js';
import { component } from '../support/registry.js';

it('the payload hash is that of the metadata as JSON, keys in order and lists sorted', () => {
  const metadata = component('a', { tag: ['y', 'x'], latest: false, version: '1' });
  const text = '{"uri":"https://c.example/a.js","label":"a","version":"1","latest":false,"tag":["x","y"]}';
  const expected = createHash('sha256').update(text).digest('base64url').slice(0, 22);
  expect(payloadHash(metadata)).toBe(expected);
  expect(payloadHash({ ...metadata, tag: ['x', 'y'] })).toBe(expected);
  const capability = [{ action: 'odrl:display' }];
  for (const more of [{ latest: true }, { capability }, { example: 'https://a.example/data' }])
    expect(payloadHash({ ...metadata, ...more })).not.toBe(expected);
});

it('a statement counts under the name that its document has where it was written', () => {
  const element = (document: string) => statementElement(document, component('a'));
  const doc = 'https://pod.example/a b/%20';
  expect(element(takenFrom('https://one.example', takenFrom('https://two.example', doc)))).toBe(element(doc));
  expect(element(takenFrom('https://one.example', 'urn:registry:local'))).toBe(element('urn:registry:local'));
});
