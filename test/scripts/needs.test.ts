import { expect, it } from 'vitest';
import { needsProgram } from '../support/needs.js';

it.each([
  [[], true],
  [['test/'], true],
  [['test/acc'], true],
  [['lifecycle', 'test/lib'], true],
  [['test/lib', 'test/scenario/bench.test.ts'], true],
  [['test/acceptance/http'], true],
  [['--bail=1', 'test/lib/http', 'test/config.test.ts'], false],
])('named are %j: is the build needed? %s', (named, expected) => {
  expect(needsProgram(['run', ...named])).toBe(expected);
});
