import { join } from 'node:path';
import type { Metadata } from '../component/metadata.js';
import { describeDocument } from '../component/reading/document-tasks.js';
import { SAMPLES } from '../component/source.js';
import type { Vocabulary } from '../component/vocabulary.js';
import type { Config } from '../config.js';
import { withoutPause } from '../lib/pace.js';
import { inProcess } from '../lib/pool/task.js';
import type { Registry } from '../registry/registry.js';
import { SampleData } from './sample-data.js';
import { readSampleFiles, type SampleFile, type SampleFiles } from './sample-files.js';
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

/** Everything that is shown while the samples are. */
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
      ...{ source: SAMPLES, registry, write: config.write },
      load: async () => {
        const files = await readSampleFiles(packageFolder, vocabulary.namespace);
        const all = await describeSamples(files, parts);
        const components = all.map(({ metadata }) => metadata);
        return { all, components, data: data(files.data), file: (name) => files.components.get(name) };
      },
      reset: () => data(new Map()).reset(),
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
  for (const { name, entry } of files.samples) {
    const text = files.components.get(`${name}.ttl`)?.text ?? '';
    const document = { text, mediaType: 'text/turtle', baseIri: `${root}/${name}.ttl`, namespace };
    const { components } = await describeDocument(document, parsing);
    const code = files.components.get(`${name}.js`)?.text ?? '';
    samples.push(...components.map((metadata) => ({ metadata, entry: `${root}/data/${entry}`, code })));
  }
  return samples;
}
