import type { Quad } from '@rdfjs/types';
import { type Source, sourceKey } from '../../../component/source.js';
import type { SourceHashes } from '../../../core/source-digests.js';
import { explain } from '../../../lib/faults.js';
import type { LoadOptions } from '../../registry-store.js';
import type { ChangeLog } from '../changes/change-log.js';
import type { ChangeWriter } from '../changes/change-writer.js';
import type { RedoLog } from '../changes/redo-log.js';
import { WAY_OUT } from '../database/damage.js';
import type { QuadStore } from '../database/quad-store.js';
import type { Sources } from '../disk-source.js';
import { SaidByQuads } from '../loading/check-quads.js';
import { subjectsOf } from '../loading/rebuild.js';
import { mendQuads } from './mend-quads.js';
import { slimRows } from './slim-rows.js';

/** Subjects whose quads are looked at between two rests, and how long a rest is, in ms: others come first. */
const TOGETHER = 100;
const REST = 20;

export interface QuadCheckParts {
  readonly store: QuadStore;
  readonly options: Pick<LoadOptions, 'vocabulary' | 'clock' | 'pace' | 'log'>;
  readonly sources: Sources;
  readonly log: ChangeLog;
  readonly writer: Pick<ChangeWriter, 'idle' | 'write'>;
  readonly redoLog: Pick<RedoLog, 'isIdle'>;
  readonly registry: { exclusive<T>(source: Source, task: () => Promise<T>): Promise<T> };
}

/** What the quads are to say, of one source. */
interface Known {
  readonly source: Source;
  readonly hashes: SourceHashes;
}

/** The quads, and what they are to say, at one moment. */
interface Begun {
  readonly known: readonly Known[];
  /** `DocumentRecord.of`, by `sourceKey` and URL. */
  readonly parts: ReadonlyMap<string, string>;
  readonly lists: AsyncGenerator<Quad[]>;
  readonly first: IteratorResult<Quad[]>;
}

/**
 * Compares what the quads say with the digests of the feed, once, while the node runs. A start reads the catalog from its
 * snapshot, and would not notice that quads are lost until they are needed. What differs is written anew from the catalog,
 * if that is what the digests tell, or read again. What earlier versions have stored twice goes then.
 */
export class QuadCheck {
  readonly #parts: QuadCheckParts;
  readonly #stopping = new AbortController();
  #running: Promise<void> = Promise.resolve();

  constructor(parts: QuadCheckParts) {
    this.#parts = parts;
  }

  /** @param after ms */
  start(after: number): void {
    const { options, store } = this.#parts;
    const { signal } = this.#stopping;
    this.#running = this.#run(after).catch((error: unknown) => {
      if (signal.aborted) return;
      options.log.warn(
        { directory: store.place, error: explain(error) },
        `what is stored could not be checked; if this is said again after the next start, ${WAY_OUT}`,
      );
    });
  }

  async stop(): Promise<void> {
    this.#stopping.abort(new Error('The store is closed'));
    await this.#running;
  }

  async #run(after: number): Promise<void> {
    const { clock } = this.#parts.options;
    const { signal } = this.#stopping;
    await clock.sleep(after, signal);
    let found: { readonly known: readonly Known[]; readonly said: SaidByQuads } | undefined;
    while (!found) {
      const begun = await this.#begun();
      if (begun) found = await this.#said(begun);
      else await clock.sleep(after, signal);
    }
    const { known, said } = found;
    const good: Source[] = [];
    for (const { source, hashes } of known)
      if (said.isAllOf(sourceKey(source), hashes) || (await this.#mend(source))) good.push(source);
    await slimRows(good, { ...this.#parts, signal });
  }

  /** Quads and digests of one moment, when nothing is half written; undefined at others. */
  #begun(): Promise<Begun | undefined> {
    const { writer, redoLog, store, log, sources, options } = this.#parts;
    return writer.idle(async () => {
      // What is remembered of the documents of the last change is taken over just after it, in the same turn of the event loop.
      await options.pace(0)();
      if (!redoLog.isIdle) return undefined;
      const known: Known[] = [...log.sources.values()];
      const parts = new Map<string, string>();
      for (const { source, documents } of sources.all()) {
        for (const [url, { record }] of documents)
          if (record.of) parts.set(`${sourceKey(source)} ${url}`, record.of);
      }
      const lists = store.read();
      return { known, parts, lists, first: await lists.next() };
    });
  }

  async #said({ known, parts, lists, first }: Begun) {
    const { vocabulary, clock, pace } = this.#parts.options;
    const said = new SaidByQuads(vocabulary, (key, document) => parts.get(`${key} ${document}`));
    const breathe = pace();
    let looked = 0;
    for await (const quads of subjectsOf(behind(first, lists))) {
      said.add(quads);
      looked += 1;
      if (looked % TOGETHER === 0) await clock.sleep(REST, this.#stopping.signal);
      else await breathe();
    }
    return { known, said };
  }

  /** @returns whether the quads are what has been stored, then */
  async #mend(source: Source): Promise<boolean> {
    const { options, store, registry } = this.#parts;
    const what = { directory: store.place, kind: source.kind, source: source.url };
    options.log.warn(
      what,
      'the quads of this source do not say what has been stored: they are damaged or lost',
    );
    const { isRight, outcome } = await registry.exclusive(source, () => mendQuads(source, this.#parts));
    options.log.warn(what, outcome);
    return isRight;
  }
}

async function* behind(
  first: IteratorResult<Quad[]>,
  others: AsyncGenerator<Quad[]>,
): AsyncGenerator<readonly Quad[]> {
  try {
    if (!first.done) yield first.value;
    yield* others;
  } finally {
    await others.return(undefined);
  }
}
