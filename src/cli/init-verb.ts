import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { dirname, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DEFAULT_FILE } from '../config/defaults.js';
import { configReference } from '../config.js';
import type { RunVerb } from './runnable-verb.js';

export const run: RunVerb = async (_flags, file = DEFAULT_FILE, { say, program }) => {
  say(await initConfig(file, program));
  return 0;
};

/** What most operators set first: these stand in the file as they are, all other keys as comments. */
const SET = ['write', 'peers', 'pods'];

const HEAD = `// The configuration of a component registry node: JSON, in which comments and commas at the end are allowed.
// What begins with // is not set and has its default. Take the slashes away in front of what you want to change.
// Variables of the environment win over this file: REGISTRY_LISTEN_PORT, for instance, over the port in "listen".
`;

/**
 * Writes a configuration file in which every key is explained, and which sets nothing but defaults.
 * @returns what to tell the operator
 * @throws Error when there is such a file already: it is never overwritten
 */
export async function initConfig(file: string, program: string): Promise<string> {
  const path = resolve(file);
  try {
    await writeFile(path, commentedConfig(schemaFrom(dirname(path))), { flag: 'wx' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    throw new Error(`${file} is there already and stays as it is; name another file: ${program} init <file>`);
  }
  const named = file === DEFAULT_FILE ? '' : ` --config ${file}`;
  return `wrote ${file}. Next: ${program} check${named} says whether it can be used, ${program}${named} runs the node`;
}

/**
 * The text of a configuration that sets nothing but defaults.
 * @param schema where editors find the JSON Schema, as seen from the file
 */
export function commentedConfig(schema?: string): string {
  const sections = new Map<string, string[]>();
  for (const { key, meaning, default: value } of configReference()) {
    const [section = '', name] = key.split('.');
    const set = SET.includes(key) ? '' : '// ';
    const line = (indent: string, property: string) =>
      `${commented(meaning, indent)}\n${indent}${set}"${property}": ${value},\n`;
    if (name === undefined) sections.set(key, [line('  ', key)]);
    else sections.set(section, [...(sections.get(section) ?? [`  "${section}": {\n`]), line('    ', name)]);
  }
  const parts = [...sections.values()].map((lines) =>
    lines.length === 1 ? lines.join('') : `${lines[0]}${lines.slice(1).join('\n')}  },\n`,
  );
  const editors = schema === undefined ? [] : [`  "$schema": ${JSON.stringify(schema)},\n`];
  return `${HEAD}{\n${[...editors, ...parts].join('\n')}}\n`;
}

/** A sentence as comment, in lines that can be read on a terminal. */
function commented(text: string, indent: string): string {
  return text.replace(/(.{1,90})(?: |$)/g, `${indent}// $1\n`).trimEnd();
}

/** Where the schema is, seen from a folder; undefined where the program lies elsewhere: no editor there would find it. */
function schemaFrom(folder: string): string | undefined {
  const schema = fileURLToPath(new URL('../../dist/node.config.schema.json', import.meta.url));
  const path = relative(folder, schema).split(sep).join('/');
  return existsSync(schema) && !path.startsWith('..') ? `./${path}` : undefined;
}
