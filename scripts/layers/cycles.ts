import type { SourceFile } from './source-file.js';

/** Import cycles, each once, as the paths that lead from a file back to itself. */
export function importCycles(files: readonly SourceFile[]): string[][] {
  return cyclesOf(new Map(files.map(({ path, imports }) => [path, imports.map(({ target }) => target)])));
}

/**
 * Cycles between what stands side by side in one folder below `src/`, folders taken as a whole: where there is none, these
 * parts have an order, and all imports between them run one way.
 */
export function folderCycles(files: readonly SourceFile[]): string[][] {
  const folders = new Set(files.flatMap(({ path }) => foldersOf(path)));
  return [...folders].flatMap((folder) => {
    const targets = new Map<string, string[]>();
    for (const { path, imports } of files) {
      const from = partIn(folder, path);
      if (from === undefined) continue;
      const to = imports.flatMap(({ target }) => partIn(folder, target) ?? []);
      targets.set(from, [...(targets.get(from) ?? []), ...to.filter((part) => part !== from)]);
    }
    // Cycles of files alone are import cycles.
    return cyclesOf(targets).filter((cycle) => cycle.some((part) => part.endsWith('/')));
  });
}

/** The folders that a file is in, without `src/`, whose parts the layers put in order. */
function foldersOf(path: string): string[] {
  const names = path.split('/').slice(0, -1);
  return names.map((_, i) => `${names.slice(0, i + 1).join('/')}/`).slice(1);
}

/** The file or folder right in the folder that the path names or leads through. */
function partIn(folder: string, path: string): string | undefined {
  if (!path.startsWith(folder)) return undefined;
  const end = path.indexOf('/', folder.length);
  return end < 0 ? path : path.slice(0, end + 1);
}

function cyclesOf(targets: ReadonlyMap<string, readonly string[]>): string[][] {
  const done = new Set<string>();
  const cycles: string[][] = [];
  const visit = (at: string, trail: readonly string[]) => {
    const start = trail.indexOf(at);
    if (start >= 0) cycles.push([...trail.slice(start), at]);
    if (start >= 0 || done.has(at)) return;
    for (const target of targets.get(at) ?? []) visit(target, [...trail, at]);
    done.add(at);
  };
  for (const at of targets.keys()) visit(at, []);
  return cycles;
}
