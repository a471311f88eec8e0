import { describe, expect, it } from 'vitest';
import { createVocabulary } from '../../src/component/vocabulary.js';
import { entityTags } from '../../src/http/entity-tags.js';

describe('entityTags', () => {
  const naming = { baseUrl: 'https://node.example', vocabulary: createVocabulary('http://v.example/#') };
  const other = { ...naming, vocabulary: createVocabulary('http://w.example/#') };
  const revision = { epoch: 'e', number: 1, since: 0 };
  const tagOf = entityTags('1.0.0');
  const tag = tagOf(naming, revision, 'json');

  it('is a strong tag that stays the same', () => {
    expect(tag).toMatch(/^"[A-Za-z0-9._+-]+"$/);
    expect(entityTags('1.0.0')({ ...naming }, { ...revision }, 'json')).toBe(tag);
  });

  it.each([
    ['number', tagOf(naming, { ...revision, number: 2 }, 'json')],
    ['epoch', tagOf(naming, { ...revision, epoch: 'f' }, 'json')],
    ['time', tagOf(naming, { ...revision, since: 1 }, 'json')],
    ['variant', tagOf(naming, revision, 'turtle')],
    ['base URL', tagOf({ ...naming, baseUrl: 'https://other.example' }, revision, 'json')],
    ['vocabulary', tagOf(other, revision, 'json')],
    ['version', entityTags('1.0.1')(naming, revision, 'json')],
  ])('changes with the %s', (_what, changed) => {
    expect(changed).not.toBe(tag);
  });
});
