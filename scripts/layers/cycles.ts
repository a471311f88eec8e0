import type { SourceFile } from './source-file.js';

/** Import cycles, each once, as the paths that lead from a file back to itself. */
export function importCycles(files: readonly SourceFile[]): string[][] {
  return cyclesOf(new Map(files.map(({ path, imports }) => [path, imports.map(({ target }) => target)])));
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
