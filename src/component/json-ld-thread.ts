import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { Quad } from '@rdfjs/types';
import { MalformedInput } from '../lib/faults.js';
import { type JsonLdOptions, jsonLdQuads } from './json-ld.js';

const SCRIPT = fileURLToPath(new URL('./json-ld-worker.js', import.meta.url));

/** What the thread may use: a document of ten megabytes takes a fifth of it, and one that takes more is a bomb. */
const LIMITS = { maxOldGenerationSizeMb: 1024 };

/** What the thread says: the next quads (none: those were all), or what is wrong with the document. */
export type ThreadAnswer = { readonly quads: readonly Quad[] } | { readonly fault: string };

/**
 * The same as `jsonLdQuads`, made in a thread of its own and handed over bit by bit, so that nobody waits for it.
 * @throws MalformedInput as there, and for documents that take too much memory
 */
export async function* quadsFromThread(
  text: string,
  options: JsonLdOptions,
): AsyncGenerator<readonly Quad[]> {
  // Tests run the sources, in which there is no script that a thread could run.
  if (!existsSync(SCRIPT)) return yield await jsonLdQuads(text, options);
  const worker = new Worker(SCRIPT, { workerData: { text, options }, resourceLimits: LIMITS });
  try {
    for (;;) {
      worker.postMessage('more');
      const [answer] = (await once(worker, 'message')) as [ThreadAnswer];
      if ('fault' in answer) throw new MalformedInput(answer.fault);
      if (answer.quads.length === 0) return;
      yield answer.quads;
    }
  } catch (cause) {
    if ((cause as { code?: string }).code !== 'ERR_WORKER_OUT_OF_MEMORY') throw cause;
    throw new MalformedInput('Expanding this JSON-LD takes too much memory', { cause });
  } finally {
    await worker.terminate();
  }
}
