/** The thread of `json-ld-thread.ts`: expands the document that it is given, and hands over quads when asked. */
import { parentPort, workerData } from 'node:worker_threads';
import type { Quad } from '@rdfjs/types';
import { explain, MalformedInput } from '../lib/faults.js';
import { jsonLdQuads } from './json-ld.js';
import type { ThreadAnswer } from './json-ld-thread.js';

/** Quads that are handed over at a time: taking them over costs the other side less than a millisecond. */
const SLICE = 200;

const { text, options } = workerData;
const expanded = jsonLdQuads(text, options).catch((error: unknown) => {
  if (error instanceof MalformedInput) return { fault: explain(error) };
  throw error;
});
let handedOver = 0;

parentPort?.on('message', async () => {
  parentPort?.postMessage(next(await expanded));
});

function next(result: readonly Quad[] | { fault: string }): ThreadAnswer {
  if ('fault' in result) return result;
  const quads = result.slice(handedOver, handedOver + SLICE);
  handedOver += SLICE;
  return { quads };
}
