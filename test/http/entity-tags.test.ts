import { describe, expect, it } from 'vitest';
import { entityTags } from '../../src/http/entity-tags.js';

describe('entityTags', () => {
  const revision = { epoch: 'e', number: 1, since: 0 };
  const tag = entityTags(['https://node.example', 'v#', '1.0.0'])(revision, 'json');

  it('is a strong tag that stays the same', () => {
    expect(tag).toMatch(/^"[A-Za-z0-9._+-]+"$/);
    expect(entityTags(['https://node.example', 'v#', '1.0.0'])(revision, 'json')).toBe(tag);
  });

  it.each([
    ['number', entityTags(['https://node.example', 'v#', '1.0.0'])({ ...revision, number: 2 }, 'json')],
    ['epoch', entityTags(['https://node.example', 'v#', '1.0.0'])({ ...revision, epoch: 'f' }, 'json')],
    ['time', entityTags(['https://node.example', 'v#', '1.0.0'])({ ...revision, since: 1 }, 'json')],
    ['variant', entityTags(['https://node.example', 'v#', '1.0.0'])(revision, 'turtle')],
    ['base URL', entityTags(['https://other.example', 'v#', '1.0.0'])(revision, 'json')],
    ['version', entityTags(['https://node.example', 'v#', '1.0.1'])(revision, 'json')],
  ])('changes with the %s', (_what, other) => {
    expect(other).not.toBe(tag);
  });
});
