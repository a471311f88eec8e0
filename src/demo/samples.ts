import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Metadata } from '../component/metadata.js';
import { describeDocument } from '../component/reading/document-tasks.js';
import { SAMPLES } from '../component/source.js';
import type { Vocabulary } from '../component/vocabulary.js';
import { DEFAULT_VOCABULARY } from '../config/defaults.js';
import type { Config } from '../config.js';
import { withoutPause } from '../lib/pace.js';
import { inProcess } from '../lib/pool/task.js';
import type { Registry } from '../registry/registry.js';
import { SampleData } from './sample-data.js';
import { type ComponentSet, ShownSet } from './shown-set.js';

/** Where the samples are, below the public URL of the node. */
export const DEMO_PATH = '/demo';
/** The folder in the data directory that keeps what visitors have changed. */
export const SAMPLES_FOLDER = 'samples';

/** One sample as a page shows it. */
export interface Sample {
  readonly metadata: Metadata;
  /** URL of the data that it is shown with. */
  readonly entry: string;
  /** The text of its module. */
  readonly code: string;
}

export interface ShownSamples extends ComponentSet {
  readonly all: readonly Sample[];
  readonly data: SampleData;
  /** A module or a document that describes one, by its name below `DEMO_PATH`. */
  readonly file: (name: string) => SampleFile | undefined;
}

export interface SamplesParts {
  readonly config: Pick<Config, 'baseUrl' | 'dataDir' | 'write'>;
  readonly vocabulary: Vocabulary;
  readonly registry: Pick<Registry, 'commit' | 'forget' | 'source'>;
  /** The package that the node runs from: a URL with a slash at the end. */
  readonly packageFolder: URL;
}

/** The samples of a node: components that come with the package, and data for them that may be changed. */
export class Samples extends ShownSet<ShownSamples> {
  constructor(parts: SamplesParts) {
    const { config, vocabulary, registry, packageFolder } = parts;
    const data = (original: SampleFiles['data']) =>
      new SampleData(original, join(config.dataDir, SAMPLES_FOLDER));
    super({
      source: SAMPLES,
      registry,
      write: config.write,
      load: async () => {
        const files = await readSampleFiles(packageFolder, vocabulary.namespace);
        const all = await describeSamples(files, parts);
        const components = all.map(({ metadata }) => metadata);
        return { all, components, data: data(files.data), file: (name) => files.components.get(name) };
      },
      reset: () => data(new Map()).reset(),
      isChanged: (shown) => shown.data.isChanged(),
    });
  }
}

/** Reads the documents as they would be read from a pod: the addresses in them follow from where the node is. */
async function describeSamples(
  files: SampleFiles,
  { config, vocabulary: { namespace } }: SamplesParts,
): Promise<Sample[]> {
  const root = config.baseUrl + DEMO_PATH;
  // These files are short, and not a stranger's.
  const parsing = { pool: inProcess(withoutPause), lane: 'post' } as const;
  const samples: Sample[] = [];
  for (const { name, entry } of SAMPLE_FILES) {
    const text = files.components.get(`${name}.ttl`)?.text ?? '';
    const document = { text, mediaType: 'text/turtle', baseIri: `${root}/${name}.ttl`, namespace };
    const { components } = await describeDocument(document, parsing);
    const code = files.components.get(`${name}.js`)?.text ?? '';
    samples.push(...components.map((metadata) => ({ metadata, entry: `${root}/data/${entry}`, code })));
  }
  return samples;
}

/** The samples: a module, the document that describes it beside it, and the data that it is shown with. */
const SAMPLE_FILES = [
  { name: 'profile-card', entry: 'ann.ttl#me' },
  { name: 'profile-form', entry: 'ann.ttl#me' },
  { name: 'shopping-list', entry: 'groceries.ttl' },
] as const;

interface SampleFile {
  readonly mediaType: 'text/javascript' | 'text/turtle';
  readonly text: string;
}

/** What comes with the package, as it is read once. */
interface SampleFiles {
  /** Modules and the documents that describe them, by name: `profile-card.js`, `profile-card.ttl`. */
  readonly components: ReadonlyMap<string, SampleFile>;
  /** The data as it is before anybody changes it, by name: `ann.ttl`. */
  readonly data: ReadonlyMap<string, string>;
}

/**
 * Reads the samples of a package.
 * @param folder a URL with a slash at the end
 * @param namespace of the vocabulary of the node; the documents are written in the usual one
 * @throws Error when the package has lost them
 */
async function readSampleFiles(folder: URL, namespace: string): Promise<SampleFiles> {
  const text = (path: string) => readFile(new URL(`docs/samples/${path}`, folder), 'utf8');
  const components = new Map<string, SampleFile>();
  const data = new Map<string, string>();
  for (const { name, entry } of SAMPLE_FILES) {
    components.set(`${name}.js`, { mediaType: 'text/javascript', text: await text(`${name}.js`) });
    const described = (await text(`${name}.ttl`)).replaceAll(DEFAULT_VOCABULARY, namespace);
    components.set(`${name}.ttl`, { mediaType: 'text/turtle', text: described });
    const document = entry.replace(/#.*$/s, '');
    data.set(document, await text(document));
  }
  return { components, data };
}
