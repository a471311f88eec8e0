import { posix } from 'node:path';

export interface Import {
  /** As written, or the path from the root of the repository when it is relative. */
  readonly target: string;
  readonly relative: boolean;
  readonly typeOnly: boolean;
}

export interface SourceFile {
  /** From the root of the repository. */
  readonly path: string;
  readonly imports: readonly Import[];
  /** The text with comments and the contents of quoted strings blanked; lines stay where they were. */
  readonly code: string;
  /** Does it hold nothing but re-exports? */
  readonly barrel: boolean;
}

// Comments, literals and regular expressions: where one begins, the others' signs mean nothing.
const TOKEN =
  /(?<comment>\/\*[\s\S]*?\*\/|\/\/[^\n]*)|(?<quoted>'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*")|(?<template>`(?:\\[\s\S]|[^`\\])*`)|(?<regex>(?<=(?:[(,=:[!&|?{};>]|\breturn)\s*)\/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/[a-z]*)/g;

const FROM = /\b(import|export)\s+(type\s+)?(?:[\w$*{},\s]+?\s+from\s+)?'([^']+)'/g;
const DYNAMIC = /\bimport\s*\(\s*'([^']+)'\s*\)/g;
const REEXPORT = /\bexport\s+(?:type\s+)?(?:\*(?:\s+as\s+\w+)?|\{[^}]*\})(?:\s+from\s+'[^']*')?\s*;?/g;

export function readSource(path: string, text: string): SourceFile {
  const bare = blank(text, ['comment']);
  return {
    path,
    imports: importsOf(path, bare),
    code: blank(text, ['comment', 'quoted']),
    barrel: isBarrel(bare),
  };
}

function blank(text: string, kinds: readonly string[]): string {
  return text.replace(TOKEN, (token, ...rest) => {
    const groups: Record<string, string | undefined> = rest.at(-1);
    return kinds.some((kind) => groups[kind] !== undefined) ? token.replace(/[^\n]/g, ' ') : token;
  });
}

function importsOf(path: string, text: string): Import[] {
  const found = [...text.matchAll(FROM)].map(([statement, , type, target = '']) => ({
    target,
    typeOnly: type !== undefined || namesTypesOnly(statement),
  }));
  // `import('x').Name` in a type looks the same; taken for a call, it can only be judged too strictly.
  const dynamic = [...text.matchAll(DYNAMIC)].map(([, target = '']) => ({ target, typeOnly: false }));
  return [...found, ...dynamic].map(({ target, typeOnly }) => {
    const relative = target.startsWith('.');
    return { target: relative ? sourcePath(path, target) : target, relative, typeOnly };
  });
}

/** `import { type A, type B } from …` */
function namesTypesOnly(statement: string): boolean {
  const names = statement
    .match(/^\w+\s*\{([^}]*)\}/)?.[1]
    ?.split(',')
    .filter((name) => name.trim() !== '');
  return names?.every((name) => /^\s*type\s/.test(name)) ?? false;
}

function sourcePath(from: string, target: string): string {
  return posix.join(posix.dirname(from), target).replace(/\.js$/, '.ts');
}

function isBarrel(text: string): boolean {
  const rest = text.replace(REEXPORT, '').replace(FROM, '').replace(/[;\s]/g, '');
  return rest === '' && text.search(REEXPORT) >= 0;
}
