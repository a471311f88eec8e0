import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Import, readSource, type SourceFile } from './source-file.js';

export interface Rules {
  /** Parts (a folder with a slash at the end, or a file) by layer, from the bottom up. */
  readonly layers: readonly (readonly string[])[];
  /** Packages, and files by their paths, that not everybody may import. `types`: is even the import of a type a breach? */
  readonly imports: readonly { what: RegExp; types: boolean; only: readonly string[] }[];
  /** Folders that import nothing from one another, types included. */
  readonly apart: readonly string[];
  readonly words: readonly { what: RegExp; only: readonly string[] }[];
  /** What the package exports to others: their work is to pass on what other files define. */
  readonly entries: readonly string[];
  readonly topLevel: readonly string[];
  /**
   * Tests that know the sources from outside only, so that they outlive what is written anew: neither they nor what they
   * import have values of the sources, but through adapters. Types are nothing that runs. Folders, with a slash at the end.
   */
  readonly outside: { readonly folder: string; readonly adapters: string };
}

/** Every breach of the rules in the repository at `root`, one line each, in the order of the files. */
export function architectureFaults(root: string, rules: Rules): string[] {
  const files = scriptsIn(root, 'src/').map((path) => fileAt(root, path));
  const stray = readdirSync(root).filter((name) => !name.startsWith('.') && !rules.topLevel.includes(name));
  return [
    ...stray.map((name) => `${name}: does not belong at the top level`),
    ...outsideFaults(root, rules.outside),
    ...files.flatMap((file) => [
      ...layerFaults(file, rules),
      ...importFaults(file, rules),
      ...wordFaults(file, rules),
      ...(file.barrel && !rules.entries.includes(file.path)
        ? [`${file.path}: only re-exports; import from the files that define things`]
        : []),
    ]),
    ...importCycles(files).map((cycle) => `import cycle: ${cycle.join(' -> ')}`),
  ];
}

/** The paths of TypeScript below a folder. */
function scriptsIn(root: string, folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((path) => `${folder}${path.replaceAll('\\', '/')}`)
    .filter((path) => /\.tsx?$/.test(path))
    .sort();
}

function fileAt(root: string, path: string): SourceFile {
  // Imports name modules, not files: `view.js` is view.ts or view.tsx.
  return readSource(path.replace(/x$/, ''), readFileSync(join(root, path), 'utf8'));
}

function layerFaults({ path, imports }: SourceFile, { layers }: Rules): string[] {
  const here = placeOf(path, layers);
  if (!here) return [`${path}: is in no layer; scripts/layers.ts lists them`];
  return imports.flatMap(({ target, relative }) => {
    const there = relative && placeOf(target, layers);
    if (!there || there.part === here.part || there.layer < here.layer) return [];
    const why = there.layer === here.layer ? 'its neighbour, and neighbours never meet' : 'a higher layer';
    return [`${path}: imports ${target} from ${why}`];
  });
}

function placeOf(path: string, layers: Rules['layers']): { layer: number; part: string } | undefined {
  for (const [layer, parts] of layers.entries()) {
    const part = parts.find((one) => within(path, [one]));
    // config.ts and config/ are one part, sync/ and http/ are two.
    if (part) return { layer, part: part.replace(/(\.ts|\/)$/, '') };
  }
  return undefined;
}

function importFaults({ path, imports }: SourceFile, rules: Rules): string[] {
  const strict = rules.imports.filter(({ only }) => !within(path, only));
  const others = within(path, rules.apart) ? rules.apart.filter((room) => !within(path, [room])) : [];
  const isBreach = ({ target, typeOnly }: Import) =>
    within(target, others) || strict.some(({ what, types }) => what.test(target) && (types || !typeOnly));
  return imports.filter(isBreach).map(({ target }) => `${path}: may not import ${target}`);
}

function wordFaults({ path, code }: SourceFile, { words }: Rules): string[] {
  const strict = words.filter(({ only }) => !within(path, only));
  return code
    .split('\n')
    .flatMap((line, i) =>
      strict
        .flatMap(({ what }) => line.match(what)?.[0] ?? [])
        .map((word) => `${path}:${i + 1}: may not use ${word.trim()}`),
    );
}

function within(path: string, places: readonly string[]): boolean {
  return places.some((place) => (place.endsWith('/') ? path.startsWith(place) : path === place));
}

/** Every import of a value of the sources that a test from outside comes to without an adapter, one line each. */
function outsideFaults(root: string, { folder, adapters }: Rules['outside']): string[] {
  const looked = new Set(scriptsIn(root, folder));
  const faults: string[] = [];
  // Tests that are added meanwhile are looked at, too.
  for (const path of looked) {
    if (path.startsWith(adapters) || !existsSync(join(root, path))) continue;
    for (const { target, relative, typeOnly } of fileAt(root, path).imports) {
      if (!relative || typeOnly) continue;
      if (target.startsWith('src/')) faults.push(`${path}: imports ${target}, which only ${adapters} may`);
      else if (target.startsWith('test/')) looked.add(target);
    }
  }
  return faults;
}

/** Import cycles, each once, as the paths that lead from a file back to itself. */
function importCycles(files: readonly SourceFile[]): string[][] {
  const targets = new Map(files.map(({ path, imports }) => [path, imports.map(({ target }) => target)]));
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
