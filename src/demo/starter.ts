import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import type { Metadata } from '../component/metadata.js';
import { describedInJson } from '../component/reading/json-descriptions.js';
import { STARTER } from '../component/source.js';
import type { Vocabulary } from '../component/vocabulary.js';
import type { Config } from '../config.js';
import { unlessMissing } from '../lib/missing-file.js';
import type { Registry } from '../registry/registry.js';
import { type ComponentSet, ShownSet } from './shown-set.js';

/** Where the files of the set are, below the public URL of the node. */
export const STARTER_PATH = '/starter';
/** The package that has the set, where the node does not run from a clone. */
export const STARTER_PACKAGE = 'component-registry-node-starter';
/** What the build writes: descriptions and files. */
const INDEX = 'dist/starter.json';
/** In descriptions, in the place of the address of the node. */
const ADDRESS = '"starter:';

/** One file of the set. */
export interface StarterFile {
  readonly mediaType: string;
  readonly bytes: number;
  /** `sha384-…` of all its bytes. */
  readonly integrity: string;
  /** What a module was built from; absent for what comes with this software. */
  readonly packages?: readonly {
    readonly name: string;
    readonly version: string;
    readonly licence: string;
  }[];
}

export interface ShownStarter extends ComponentSet {
  /** By path below `STARTER_PATH`: `shacl-form.js`, `shapes/bookmark.ttl`. */
  readonly files: ReadonlyMap<string, StarterFile>;
  /** The text of a file that is among `files`. */
  readonly read: (path: string) => Promise<string>;
}

export interface StarterParts {
  readonly config: Pick<Config, 'baseUrl' | 'write'>;
  readonly vocabulary: Vocabulary;
  readonly registry: Pick<Registry, 'commit' | 'forget' | 'source'>;
  /** The package that the node runs from: a URL with a slash at the end. */
  readonly packageFolder: URL;
}

/** Real components, with modules that the node serves itself; see `starter/` in the repository. */
export class Starter extends ShownSet<ShownStarter> {
  readonly #isBuilt: () => Promise<boolean>;

  constructor({ config, vocabulary, registry, packageFolder }: StarterParts) {
    const index = () => readIndex(packageFolder);
    super({
      source: STARTER,
      registry,
      write: config.write,
      load: async () => {
        const found = await index();
        return found && shownStarter(found, config.baseUrl + STARTER_PATH, vocabulary);
      },
    });
    this.#isBuilt = async () => (await index()) !== undefined;
  }

  /** Is the set there, so that it can be shown? */
  isBuilt(): Promise<boolean> {
    return this.#isBuilt();
  }
}

/** The folder of the set, with a slash at the end: in a clone beside the node, else a package; undefined when there is neither. */
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

interface FoundIndex {
  readonly folder: URL;
  readonly text: string;
}

async function readIndex(packageFolder: URL): Promise<FoundIndex | undefined> {
  const folder = await starterFolder(packageFolder);
  const text = folder && (await textOf(new URL(INDEX, folder)));
  return folder && text !== undefined ? { folder: new URL('dist/', folder), text } : undefined;
}

/** @throws Error when the set breaks the rules for components: it is not of this version */
function shownStarter({ folder, text }: FoundIndex, root: string, vocabulary: Vocabulary): ShownStarter {
  const set: { components: unknown; files: Record<string, StarterFile> } = JSON.parse(
    text.replaceAll(ADDRESS, `"${root}/`),
  );
  const { components, invalid } = describedInJson(set.components, vocabulary);
  const [first] = invalid;
  if (first) {
    const why = first.faults.map(({ detail }) => detail).join(', ');
    throw new Error(`The starter set has a description of ${first.subject} that is none: ${why}`);
  }
  return {
    components: components as readonly Metadata[],
    files: new Map(Object.entries(set.files)),
    read: (path) => readFile(new URL(path, folder), 'utf8'),
  };
}

function textOf(file: URL): Promise<string | undefined> {
  return readFile(file, 'utf8').catch(unlessMissing);
}
