import { join } from 'node:path';
import type { Metadata } from '../component/metadata.js';
import { describeDocument } from '../component/reading/document-tasks.js';
import { SAMPLES } from '../component/source.js';
import type { Vocabulary } from '../component/vocabulary.js';
import type { Config } from '../config.js';
import { KeyedMutex } from '../lib/keyed-mutex.js';
import { withoutPause } from '../lib/pace.js';
import { inProcess } from '../lib/pool/task.js';
import type { Registry } from '../registry/registry.js';
import { SampleData } from './sample-data.js';
import { readSampleFiles, type SampleFile, type SampleFiles } from './sample-files.js';

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
export interface ShownSamples {
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

/**
 * The samples of a node: components that come with the package, and data for them that may be changed. While they are
 * shown, the registry holds them as a source of its own.
 */
export class Samples {
  readonly #parts: SamplesParts;
  /** They are shown and removed one after the other. */
  readonly #turns = new KeyedMutex();
  #shown: ShownSamples | undefined;

  constructor(parts: SamplesParts) {
    this.#parts = parts;
  }

  /** What is shown; undefined while the samples are not. */
  get shown(): ShownSamples | undefined {
    return this.#shown;
  }

  /**
   * Shows the samples after a start if the operator wants them, or if they were shown before and a request can remove
   * them. Where nobody may write, the operator alone decides.
   */
  async open(isWanted: boolean): Promise<void> {
    const { config, registry } = this.#parts;
    const wereShown = (await registry.source(SAMPLES)) !== undefined;
    if (wereShown && (isWanted || config.write !== 'off')) await this.#show();
    else if (isWanted) await this.show();
    else if (wereShown) await this.remove();
  }

  /** Shows the samples as they came; does nothing when they are shown. Resolves when that is on disk. */
  show(): Promise<void> {
    return this.#turns.run('samples', async () => {
      if (this.#shown) return;
      await this.#data(new Map()).reset();
      await this.#show();
    });
  }

  /** Takes the samples away, with all that was changed in their data. */
  remove(): Promise<void> {
    return this.#turns.run('samples', async () => {
      this.#shown = undefined;
      await this.#parts.registry.forget(SAMPLES);
      await this.#data(new Map()).reset();
    });
  }

  async #show(): Promise<void> {
    const { packageFolder, vocabulary, registry } = this.#parts;
    const files = await readSampleFiles(packageFolder, vocabulary.namespace);
    const all = await describeSamples(files, this.#parts);
    const components = all.map(({ metadata }) => metadata);
    await registry.commit({
      source: SAMPLES,
      documents: [{ url: SAMPLES.url, components, record: {} }],
      record: (current) => current,
    });
    this.#shown = { all, data: this.#data(files.data), file: (name) => files.components.get(name) };
  }

  #data(original: SampleFiles['data']): SampleData {
    return new SampleData(original, join(this.#parts.config.dataDir, SAMPLES_FOLDER));
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
