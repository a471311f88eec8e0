import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The top of the repository, which is the package. */
export const TOP_FOLDER = new URL('../../', import.meta.url);
export const TOP = fileURLToPath(TOP_FOLDER);

/** The documents for people, by their path from the top of the repository. */
export const DOCUMENTS: ReadonlyMap<string, string> = new Map(
  ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', ...readdirSync(`${TOP}docs`).map((name) => `docs/${name}`)]
    .filter((path) => path.endsWith('.md'))
    .map((path) => [path, readFileSync(TOP + path, 'utf8')]),
);

/** The text of one of them. */
export function documentAt(path: string): string {
  const text = DOCUMENTS.get(path);
  if (text === undefined) throw new Error(`there is no document ${path}`);
  return text;
}

/** What stands between `<!-- <name>:begin -->` and `<!-- <name>:end -->`; nothing where there are no such marks. */
export function markedPart(text: string, name: string): string {
  return text.match(new RegExp(`<!-- ${name}:begin -->\n(.*?)<!-- ${name}:end -->`, 's'))?.[1] ?? '';
}

/** A block of code between fences, at whatever depth it is indented. */
interface CodeBlock {
  readonly language: string;
  readonly code: string;
}

export function codeBlocks(text: string, ...languages: readonly string[]): CodeBlock[] {
  return [...text.matchAll(/^( *)```(\w*)\n(.*?)^\1```$/gms)]
    .map(([, indent = '', language = '', code = '']) => ({
      language,
      code: code.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
    }))
    .filter(({ language }) => languages.includes(language));
}

/** Makes one shell script of blocks in a shell's language; any command that fails ends it, a refused request, too. */
export function strictScript(blocks: readonly CodeBlock[]): string {
  const strict = 'set -euo pipefail; curl() { command curl --fail-with-body -sS "$@"; }\n';
  return strict + blocks.map(({ code }) => code).join('\n');
}
