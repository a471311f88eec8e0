import { readFile } from 'node:fs/promises';
import { DEFAULT_VOCABULARY } from '../config/schema.js';

/** The samples: a module, the document that describes it beside it, and the data that it is shown with. */
const SAMPLES = [
  { name: 'profile-card', entry: 'ann.ttl#me' },
  { name: 'profile-form', entry: 'ann.ttl#me' },
  { name: 'shopping-list', entry: 'groceries.ttl' },
] as const;

export interface SampleFile {
  readonly mediaType: 'text/javascript' | 'text/turtle';
  readonly text: string;
}

/** What comes with the package, as it is read once. */
export interface SampleFiles {
  /** Modules and the documents that describe them, by name: `profile-card.js`, `profile-card.ttl`. */
  readonly components: ReadonlyMap<string, SampleFile>;
  /** The data as it is before anybody changes it, by name: `ann.ttl`. */
  readonly data: ReadonlyMap<string, string>;
  /** The name of each sample, and its data as seen from the folder of the data. */
  readonly samples: readonly { readonly name: string; readonly entry: string }[];
}

/**
 * Reads the samples of a package.
 * @param folder a URL with a slash at the end
 * @param namespace of the vocabulary of the node; the documents are written in the usual one
 * @throws Error when the package has lost them
 */
export async function readSampleFiles(folder: URL, namespace: string): Promise<SampleFiles> {
  const text = (path: string) => readFile(new URL(`docs/samples/${path}`, folder), 'utf8');
  const components = new Map<string, SampleFile>();
  const data = new Map<string, string>();
  for (const { name, entry } of SAMPLES) {
    components.set(`${name}.js`, { mediaType: 'text/javascript', text: await text(`${name}.js`) });
    const described = (await text(`${name}.ttl`)).replaceAll(DEFAULT_VOCABULARY, namespace);
    components.set(`${name}.ttl`, { mediaType: 'text/turtle', text: described });
    const document = entry.replace(/#.*$/s, '');
    data.set(document, await text(document));
  }
  return { components, data, samples: SAMPLES };
}
