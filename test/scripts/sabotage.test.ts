import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { standIn } from '../../scripts/sabotage/planted.js';
import { replacedBy } from '../../scripts/sabotage/rule.js';
import { RULES } from '../../scripts/sabotage/rules.js';
import { TOP } from '../support/docs.js';

it('each rule that is broken has a name of its own', () => {
  expect(new Set(RULES.map(({ name }) => name)).size).toBe(RULES.length);
});

it.each(RULES.map((rule) => [rule.name, rule] as const))(
  '%s: its module and its tests are there, and something is replaced',
  (_, rule) => {
    expect(existsSync(join(TOP, 'src', `${rule.module}.ts`))).toBe(true);
    expect(existsSync(join(TOP, rule.suite))).toBe(true);
    expect(replacedBy(rule)).not.toEqual([]);
  },
);

it('a rule that replaces nothing is refused', () => {
  expect(() => replacedBy({ name: 'nothing is broken', broken: () => ({}) })).toThrow('nothing is broken');
});

it('puts a module with all the exports in the place of another, some of them replaced', async () => {
  const asUrl = (code: string) => `data:text/javascript,${encodeURIComponent(code)}`;
  const original = asUrl('export const kept = 1; export const broken = 2; export class Whole {}');
  const planted = asUrl('export const plannedRule = { broken: ({ broken }) => ({ broken: broken + 40 }) };');
  const module = await import(/* @vite-ignore */ asUrl(standIn(['broken'], original, planted)));
  expect({ ...module }).toEqual({ kept: 1, broken: 42, Whole: expect.any(Function) });
});
