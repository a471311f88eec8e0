import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Import, readSource, type SourceFile } from './source-file.js';

export interface Rules {
  /** Parts (a folder with a slash at the end, or a file) by layer, from the bottom up. */
  readonly layers: readonly (readonly string[])[];
  /**
   * Packages, and files by their paths, that not everybody may import. `types`: is even the import of a type a breach? `only`:
   * files, and folders with a slash, where it is none; or `never`: where alone it is one.
   */
  readonly imports: readonly (Places & { readonly what: RegExp; readonly types: boolean })[];
  /** `unless`: something else in the file that makes the word harmless there. */
  readonly words: readonly { what: RegExp; only: readonly string[]; unless?: RegExp }[];
  /** What the package exports to others: their work is to pass on what other files define. */
  readonly entries: readonly string[];
  readonly topLevel: readonly string[];
  /**
   * Tests that know the sources from outside only, so that they outlive what is written anew: neither they nor what they
   * import have values of the sources, but through adapters. Types are nothing that runs. Folders, with a slash at the end.
   */
  readonly outside: { readonly folder: string; readonly adapters: string };
}

type Places = { readonly only: readonly string[] } | { readonly never: readonly string[] };

/** Every breach of the rules in the repository at `root`, one line each, in the order of the files. */
export function architectureFaults(root: string, rules: Rules): string[] {
  const files = sourcesIn(root, 'src/');
  return [
    ...strayEntries(root, rules),
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

function sourcesIn(root: string, folder: string): SourceFile[] {
  // Imports name modules, not files: `view.js` is view.ts or view.tsx.
  return scriptsIn(root, folder).map((path) =>
    readSource(path.replace(/x$/, ''), readFileSync(join(root, path), 'utf8')),
  );
}

/** The paths of TypeScript below a folder. */
function scriptsIn(root: string, folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((path) => `${folder}${path.replaceAll('\\', '/')}`)
    .filter((path) => /\.tsx?$/.test(path))
    .sort();
}

function strayEntries(root: string, { topLevel }: Rules): string[] {
  return readdirSync(root)
    .filter((name) => !name.startsWith('.') && !topLevel.includes(name))
    .map((name) => `${name}: does not belong at the top level`);
}

function layerFaults(file: SourceFile, { layers }: Rules): string[] {
  const here = placeOf(file.path, layers);
  if (!here) return [`${file.path}: is in no layer; scripts/layers.ts lists them`];
  return file.imports
    .filter(({ relative }) => relative)
    .flatMap(({ target }) => {
      const there = placeOf(target, layers);
      if (!there || there.part === here.part || there.layer < here.layer) return [];
      const why = there.layer === here.layer ? 'its neighbour, and neighbours never meet' : 'a higher layer';
      return [`${file.path}: imports ${target} from ${why}`];
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

function importFaults(file: SourceFile, { imports }: Rules): string[] {
  const isBreach = (one: Import) =>
    imports.some(({ what, types, ...places }) => {
      const isForbidden =
        'only' in places ? !within(file.path, places.only) : within(file.path, places.never);
      return isForbidden && what.test(one.target) && (types || !one.typeOnly);
    });
  return file.imports.filter(isBreach).map(({ target }) => `${file.path}: may not import ${target}`);
}

function wordFaults(file: SourceFile, { words }: Rules): string[] {
  const strict = words.filter(({ only, unless }) => !within(file.path, only) && !unless?.test(file.code));
  return file.code.split('\n').flatMap((line, i) =>
    strict
      .map(({ what }) => line.match(what)?.[0])
      .filter((word) => word !== undefined)
      .map((word) => `${file.path}:${i + 1}: may not use ${word.trim()}`),
  );
}

function within(path: string, places: readonly string[]): boolean {
  return places.some((place) => (place.endsWith('/') ? path.startsWith(place) : path === place));
}

/** Every import of a value of the sources that a test from outside comes to without an adapter, one line each. */
function outsideFaults(root: string, { folder, adapters }: Rules['outside']): string[] {
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
  // Trees in tests of these rules have no such tests.
  if (existsSync(join(root, folder))) for (const path of scriptsIn(root, folder)) look(path);
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
