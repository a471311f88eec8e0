import { readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Node, parse } from 'acorn';
import { buildSync } from 'esbuild';
import { describe, expect, it } from 'vitest';

/**
 * Regular expressions that take quadratic time, or worse, on texts that somebody made for it. One that may begin
 * anywhere and has to end at the end is tried at each place: `/\/+$/` takes 20 s for 98,000 slashes and one letter.
 * One that repeats a repetition can try each division of a text. Both are refused here, but for the texts named below.
 */
const SRC = fileURLToPath(new URL('../../src', import.meta.url));

/** Where such an expression is harmless, and why. */
const HARMLESS: Record<string, string> = {
  'lib/excerpt.ts /\\s+\\S*$|[\\uD800-\\uDBFF]$/': 'at most 240 characters',
  'component/shape-names.ts /[#/:]([^#/:]+)[#/]?$/': 'between two tries stands a sign that none passes',
  'host/tag-name.ts /^[^a-z]+|-+$/g': 'no two hyphens stand side by side there',
  'host/tag-name.ts /-+$/': 'at most 40 characters',
};

describe('regular expressions in src/', () => {
  const found = sources().flatMap(({ file, code }) => expressionsIn(code).map((one) => ({ file, ...one })));

  it('are none that take quadratic time on texts of strangers', () => {
    const faulty = found.filter(({ pattern, flags }) => isSlow(pattern, flags));
    const names = faulty.map(({ file, pattern, flags }) => `${file} /${pattern}/${flags}`);
    expect(names.filter((name) => !(name in HARMLESS))).toEqual([]);
  });

  it('would be seen, and no others', () => {
    const slow = ['\\/+$', '-+$', '[^a-z]+|-+$', 'x{2,}$', '^(a+)+$', '^(?:a*|b)*c', '.*x$'];
    const quick = ['^\\/+$', '\\/+', '\\/$', '^a+|^b+$', 'x{2}$', '^(?:ab)+$'];
    expect([...slow, ...quick].filter((one) => isSlow(one, ''))).toEqual(slow);
    expect([isSlow('[?#].*$', 's'), isSlow('\\s+$', 'y')]).toEqual([false, false]);
  });
});

/** All files as JavaScript, made by one call: one for each took a second. */
function sources(): { file: string; code: string }[] {
  const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((file) =>
    /\.tsx?$/.test(file),
  );
  const { outputFiles } = buildSync({
    entryPoints: files.map((file) => join(SRC, file)),
    outbase: SRC,
    outdir: SRC,
    outExtension: { '.js': '.ts' },
    target: 'esnext',
    tsconfigRaw: {},
    write: false,
  });
  return outputFiles.map(({ path, text }) => ({ file: relative(SRC, path), code: text }));
}

interface Expression {
  readonly pattern: string;
  readonly flags: string;
}

/** Literals, wherever they stand in the syntax tree. */
function expressionsIn(code: string): Expression[] {
  const found: Expression[] = [];
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    if (isLiteral(value)) found.push(value.regex);
    for (const part of Object.values(value)) visit(part);
  };
  visit(parse(code, { ecmaVersion: 'latest', sourceType: 'module' }) satisfies Node);
  return found;
}

function isLiteral(value: object): value is { regex: Expression } {
  return 'regex' in value && typeof value.regex === 'object';
}

function isSlow(pattern: string, flags: string): boolean {
  // What matters is where repetitions, groups and the two ends are.
  const plain = pattern
    .replace(/\\./g, 'x')
    .replace(/\[[^\]]*\]/g, 'x')
    .replace(/\(\?(?:[:=!]|<[=!]|<\w+>)/g, '(');
  return (
    repeatsRepetition(plain) ||
    (!flags.includes('y') && alternatives(plain).some((one) => isTriedEverywhere(one, flags)))
  );
}

/** `(…+…)+` and the like. */
function repeatsRepetition(plain: string): boolean {
  return /\([^()]*[+*][^()]*\)(?:[+*]|\{\d+,\})/.test(plain);
}

/** Begins anywhere, has a repetition, and then must reach the end. `.*$` over all characters reaches it at once. */
function isTriedEverywhere(alternative: string, flags: string): boolean {
  if (/^\(*\^/.test(alternative) || !/\$\)*$/.test(alternative)) return false;
  const reachesEnd = flags.includes('s') ? alternative.replace(/\.[*+]\)?\??\$\)*$/, '') : alternative;
  return /[+*]|\{\d+,\}/.test(reachesEnd);
}

/** The alternatives at the top of an expression. */
function alternatives(plain: string): string[] {
  const found = [''];
  let depth = 0;
  for (const character of plain) {
    if (character === '(') depth += 1;
    if (character === ')') depth -= 1;
    if (character === '|' && depth === 0) found.push('');
    else found.push(found.pop() + character);
  }
  return found;
}
