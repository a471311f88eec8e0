import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { standIn } from '../../scripts/sabotage/planted.js';
import { RULES } from '../../scripts/sabotage/rules.js';
import { TOP } from '../support/docs.js';

/** What no version may get wrong unnoticed; more rules may be broken than these. */
const NEEDED = [
  'the cursor is stored before its data',
  'the removal of a statement is dropped',
  'a tombstone is revived by the next change of its source',
  "a 404 of a pod's own URL is taken for a deletion",
  'a time-out is taken for absence',
  'an incomplete listing removes',
  "a peer's peer is believed",
  'a learned source is ranked before a configured one',
  'ties go by arrival',
  'a tag does not move with a change',
  'a tag moves without a change',
  'no fsync',
  'a write is acknowledged before it is stored',
  'a redirect into a private network is followed',
  'credentials are kept over a redirect',
  'a lease without a fence',
  'a digest is taken on trust',
  'a pin is overwritten by what is seen later',
  'an invite is accepted twice',
  "another holder's record is shown",
];

it('breaks what no version may get wrong unnoticed, each rule under a name of its own', () => {
  const names = RULES.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(NEEDED));
  expect(new Set(names).size).toBe(names.length);
});

it.each(RULES.map((rule) => [rule.name, rule] as const))(
  '%s: its module and its tests are there',
  (_, rule) => {
    expect(existsSync(join(TOP, 'src', `${rule.module}.ts`))).toBe(true);
    expect(existsSync(join(TOP, rule.suite))).toBe(true);
  },
);

it('puts a module with all the exports in the place of another, some of them replaced', async () => {
  const asUrl = (code: string) => `data:text/javascript,${encodeURIComponent(code)}`;
  const original = asUrl('export const kept = 1; export const broken = 2; export class Whole {}');
  const planted = asUrl('export const replacements = ({ broken }) => ({ broken: broken + 40 });');
  const module = await import(/* @vite-ignore */ asUrl(standIn(['broken'], original, planted)));
  expect({ ...module }).toEqual({ kept: 1, broken: 42, Whole: expect.any(Function) });
});
