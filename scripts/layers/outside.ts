import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readSource } from './source-file.js';

/**
 * Tests that know the sources from outside only, so that they outlive what is written anew: neither they nor what they
 * import have values of the sources, but through adapters. Types are nothing that runs.
 */
export interface Outside {
  /** Of the tests, with a slash at the end. */
  readonly folder: string;
  /** Of the adapters. */
  readonly adapters: string;
}

/** Every import of a value of the sources that a test from outside comes to without an adapter, one line each. */
export function outsideFaults(root: string, { folder, adapters }: Outside): string[] {
  const faults: string[] = [];
  const seen = new Set<string>();
  const look = (path: string) => {
    if (seen.has(path) || path.startsWith(adapters) || !existsSync(join(root, path))) return;
    seen.add(path);
    for (const { target, relative, typeOnly } of readSource(path, readFileSync(join(root, path), 'utf8'))
      .imports) {
      if (!relative || typeOnly) continue;
      if (target.startsWith('src/')) faults.push(`${path}: imports ${target}, which only ${adapters} may`);
      else if (target.startsWith('test/')) look(target);
    }
  };
  for (const path of testsIn(root, folder)) look(path);
  return faults;
}

function testsIn(root: string, folder: string): string[] {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((path) => folder + path.replaceAll('\\', '/'))
    .filter((path) => /\.tsx?$/.test(path))
    .sort();
}
