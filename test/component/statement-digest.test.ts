import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { takenFrom } from '../../src/component/provenance.js';
import { digestElement, laterHash, payloadHash } from '../../src/component/statement-digest.js';
import { component } from '../support/registry.js';

it('the payload hash is that of the metadata as JSON, keys in order and lists sorted', () => {
  const metadata = component('a', { tag: ['y', 'x'], latest: false, version: '1' });
  const text = '{"uri":"https://c.example/a.js","label":"a","version":"1","latest":false,"tag":["x","y"]}';
  const expected = createHash('sha256')
    .update(text)
    .digest()
    .subarray(0, 17)
    .toString('base64url')
    .slice(0, 22);
  expect(payloadHash(metadata)).toBe(expected);
  expect(payloadHash({ ...metadata, tag: ['x', 'y'] })).toBe(expected);
  expect(payloadHash({ ...metadata, latest: true })).not.toBe(expected);
});

it('what nodes of earlier versions do not know is not in the payload hash, but in one of its own', () => {
  const [before, example] = [component('a'), 'https://a.example/data'];
  expect(payloadHash({ ...before, example })).toBe(payloadHash(before));
  expect(laterHash(before)).toBeUndefined();
  const capability = [{ action: 'odrl:display' }];
  const hashes = [{ capability }, { capability, example }, { example }].map((said) =>
    laterHash({ ...before, ...said }),
  );
  expect(new Set(hashes).size).toBe(3);
  const ofCapability = createHash('sha256').update(JSON.stringify(capability)).digest('base64url');
  expect(hashes[0]).toBe(ofCapability.slice(0, 22));
});

it('a statement counts under the name that its document has where it was written', () => {
  const element = (document: string) => digestElement({ document, uri: 'https://c.example/a.js', hash: 'h' });
  const doc = 'https://pod.example/a b/%20';
  expect(element(takenFrom('https://one.example', takenFrom('https://two.example', doc)))).toBe(element(doc));
  expect(element(takenFrom('https://one.example', 'urn:registry:local'))).toBe(element('urn:registry:local'));
});
