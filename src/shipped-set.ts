import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import type { Metadata } from './component/metadata.js';
import { describedInJson } from './component/reading/json-descriptions.js';
import { SAMPLES, type Source, STARTER } from './component/source.js';
import type { Vocabulary } from './component/vocabulary.js';
import { unlessMissing } from './lib/missing-file.js';
import type { Registry } from './registry/registry.js';

/** The sets that come with this software: samples, and real components to begin with (design, section 16). */
export const SHIPPED_SETS = ['demo', 'starter'] as const;
export type SetName = (typeof SHIPPED_SETS)[number];

/** The source that the registry has of each set: of the lowest precedence, and of its own, so that a set goes as one. */
const SOURCES: Readonly<Record<SetName, Source>> = { demo: SAMPLES, starter: STARTER };

/** The package that has the starter set, where the node does not run from a clone. */
export const STARTER_PACKAGE = 'component-registry-node-starter';
/** In the folder of a set: its descriptions (`components`), and its files by their paths (`files`). */
export const INDEX = 'index.json';

interface Index {
  /** As `POST /component` takes them; `<name of the set>:` stands for the address of the set. */
  readonly components: unknown;
  readonly files: Readonly<Record<string, { readonly mediaType: string }>>;
}

/** A set that this node lists, and whose files it serves below `/<name>/`. */
export interface ShippedSet {
  readonly name: SetName;
  readonly components: readonly Metadata[];
  /** A file of the set, or its index; undefined for any other path. */
  readonly file: (path: string) => Promise<{ readonly mediaType: string; readonly text: string } | undefined>;
}

interface ShippedSetsParts {
  /** Public URL of the node. */
  readonly baseUrl: string;
  readonly vocabulary: Vocabulary;
  readonly registry: Pick<Registry, 'commit' | 'forget' | 'source'>;
  /** The package that the node runs from: a URL with a slash at the end. */
  readonly packageFolder: URL;
}

/**
 * Commits the sets that this start names, and forgets those that it does not: whatever an earlier start has listed.
 * @throws Error when a set is missing, or is not of this version
 */
export async function openShippedSets(
  wanted: readonly SetName[],
  { registry, ...parts }: ShippedSetsParts,
): Promise<ShippedSet[]> {
  const opened: ShippedSet[] = [];
  for (const name of SHIPPED_SETS) {
    const source = SOURCES[name];
    if (wanted.includes(name)) {
      const set = await readSet(name, parts);
      const documents = [{ url: source.url, components: set.components, record: {} }];
      await registry.commit({ source, documents, record: (current) => current });
      opened.push(set);
    } else if (await registry.source(source)) await registry.forget(source);
  }
  return opened;
}

async function readSet(
  name: SetName,
  { baseUrl, vocabulary, packageFolder }: Omit<ShippedSetsParts, 'registry'>,
): Promise<ShippedSet> {
  const top = name === 'demo' ? packageFolder : await starterFolder(packageFolder);
  const folder = top && new URL(name === 'demo' ? 'docs/samples/' : 'dist/', top);
  const written = folder && (await textOf(new URL(INDEX, folder)));
  if (folder === undefined || written === undefined)
    throw new Error(`the files of --${name} are not there: install this software again, or start without it`);
  const text = written.replaceAll(`"${name}:`, `"${baseUrl}/${name}/`);
  const { components: described, files }: Index = JSON.parse(text);
  const { components, invalid } = describedInJson(described, vocabulary);
  for (const { subject, faults } of invalid) {
    const why = faults.map(({ detail }) => detail).join(', ');
    throw new Error(`the files of --${name} are not of this version: ${subject} breaks the rules (${why})`);
  }
  return {
    name,
    components,
    file: async (path) => {
      if (path === INDEX) return { mediaType: 'application/json', text };
      const file = Object.hasOwn(files, path) ? files[path] : undefined;
      return file && { mediaType: file.mediaType, text: await readFile(new URL(path, folder), 'utf8') };
    },
  };
}

/** The folder of the starter set, with a slash at the end: in a clone beside the node, else a package; undefined when there is neither. */
export async function starterFolder(packageFolder: URL): Promise<URL | undefined> {
  const beside = new URL('starter/package.json', packageFolder);
  if (await textOf(beside)) return new URL('.', beside);
  try {
    const file = createRequire(packageFolder).resolve(`${STARTER_PACKAGE}/package.json`);
    return new URL('.', pathToFileURL(file));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'MODULE_NOT_FOUND') return undefined;
    throw error;
  }
}

function textOf(file: URL): Promise<string | undefined> {
  return readFile(file, 'utf8').catch(unlessMissing);
}
