import { describe, expect, test } from 'vitest';
import { closeClasses, moreGeneral } from '../../src/component/close-classes.js';
import { classesByProperties, propertiesOf } from '../../src/component/known-classes.js';
import { shapeIri } from '../../src/component/shape-names.js';

const close = (name: string) =>
  closeClasses(shapeIri(name)).map(({ name: found, steps }) => `${steps} ${found}`);

describe('close classes', () => {
  test.each([
    ['foaf:Person', 'schema:Person', 1],
    ['schema:Person', 'vcard:Individual', 1],
    ['ldp:BasicContainer', 'ldp:Container', 1],
    ['schema:Restaurant', 'schema:Place', 2],
    ['schema:BlogPosting', 'schema:Article', 2],
    ['wf:Open', 'ical:Vtodo', 2],
  ])('of %s are %s, after %i steps', (one, other, steps) => {
    expect(close(one)).toContain(`${steps} ${shapeIri(other)}`);
  });

  test('of a general class are no special ones', () => {
    expect(close('schema:Article')).not.toContain(`1 ${shapeIri('schema:NewsArticle')}`);
    expect([...moreGeneral(shapeIri('schema:LiveBlogPosting'))]).toEqual(
      ['BlogPosting', 'SocialMediaPosting', 'Article', 'CreativeWork'].map((name) =>
        shapeIri(`schema:${name}`),
      ),
    );
  });
});

describe('classes by their properties', () => {
  const guessed = (...names: string[]) =>
    classesByProperties(names.map(shapeIri)).map(({ name, has }) => `${name} ${has}`);

  test('are those that have most of them', () => {
    expect(guessed('foaf:name', 'foaf:mbox', 'foaf:knows')).toEqual([`${shapeIri('foaf:Person')} 3`]);
    expect(guessed('geo:lat', 'geo:long')).toEqual([`${shapeIri('geo:Point')} 2`]);
  });

  test('are none where these are had by all kinds of things, or are few', () => {
    expect(guessed('schema:name', 'schema:description', 'schema:url')).toEqual([]);
    expect(guessed('foaf:knows')).toEqual([]);
    expect(propertiesOf('urn:x:Nothing')).toBeUndefined();
  });
});
