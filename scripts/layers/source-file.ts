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

const FROM = /\b(?:import|export)\s+(?<what>(?:type\s+)?(?:[\w$*{},\s]+?\s+from\s+)?)'(?<from>[^']+)'/g;
/** `import('x').Name` in a type looks the same as a call; taken for one, it can only be judged too strictly. */
const DYNAMIC = /\bimport\s*\(\s*'(?<from>[^']+)'\s*\)/g;
const TYPES_ONLY = /^type\s|^\{(?:\s*type\s[^,}]*[,}])+\s*from/;
const REEXPORT = /\bexport\s+(?:type\s+)?(?:\*(?:\s+as\s+\w+)?|\{[^}]*\})(?:\s+from\s+'[^']*')?\s*;?/g;

export function readSource(path: string, text: string): SourceFile {
  const bare = blank(text, ['comment']);
  const imports = [...bare.matchAll(FROM), ...bare.matchAll(DYNAMIC)].map(({ groups = {} }): Import => {
    const { from = '', what = '' } = groups;
    const relative = from.startsWith('.');
    const target = relative ? posix.join(posix.dirname(path), from).replace(/\.js$/, '.ts') : from;
    return { target, relative, typeOnly: TYPES_ONLY.test(what) };
  });
  return { path, imports, code: blank(text, ['comment', 'quoted']), barrel: isBarrel(bare) };
}

function isBarrel(text: string): boolean {
  const rest = text.replace(REEXPORT, '').replace(FROM, '').replace(/[;\s]/g, '');
  return rest === '' && text.search(REEXPORT) >= 0;
}

function blank(text: string, kinds: readonly string[]): string {
  return text.replace(TOKEN, (token, ...rest) => {
    const groups: Record<string, string | undefined> = rest.at(-1);
    return kinds.some((kind) => groups[kind] !== undefined) ? token.replace(/[^\n]/g, ' ') : token;
  });
}
