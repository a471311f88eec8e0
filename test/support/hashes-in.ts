import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';

/** The files below a folder, by their path in it, with hashes of what is in them. */
export async function hashesIn(folder: string): Promise<ReadonlyMap<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
  const hash = async (file: string) => {
    const bytes = await readFile(file);
    return [relative(folder, file), createHash('sha256').update(bytes).digest('hex')] as const;
  };
  return new Map(await Promise.all(files.sort().map(hash)));
}
