import { basename, dirname, relative } from 'node:path';

/**
 * What a user types to run the program again, for messages that say what to do next.
 * @param script the path that was run (`process.argv[1]`)
 * @param folder the working directory
 */
export function programName(script: string, folder: string): string {
  const name = basename(script);
  const path = relative(folder, script);
  if (name.endsWith('.js')) return `node ${path.startsWith('..') ? script : path}`;
  // npm links the program here in each project that depends on it, where no shell looks. Without --no it would fetch
  // whatever has this name in the npm registry, when it is run in another folder.
  return basename(dirname(script)) === '.bin' ? `npx --no -- ${name}` : name;
}
