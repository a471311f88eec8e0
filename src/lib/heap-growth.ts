import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** How much garbage there may be when all of the heap is tidied, in percent of what was alive the last time. */
const GARBAGE_PERCENT = 50;
/** Bytes beside the heap that may be held by objects nobody needs any more, until the young ones are looked at. */
const MOST_BESIDE = 2_000_000;

/** Collects those objects that were made lately and that nobody holds: some milliseconds at most. */
let collectYoung: () => void = () => undefined;
let beside = 0;

/**
 * Has V8 tidy the whole heap more often than it would by itself: it lets a heap grow to up to four times of what is alive,
 * and keeps that memory for as long as there is little to do. A node of 100,000 components took 430 MB more after some
 * hundred large answers; with this, 130 MB. To be called once the data is loaded: a heap that only grows would be tidied again
 * and again. It holds for worker threads, too.
 */
export function boundHeapGrowth(): void {
  setFlagsFromString(`--heap-growing-percent=${GARBAGE_PERCENT}`);
  collectYoung = youngCollector();
}

/**
 * Tells that an object which is soon done with holds so many bytes beside the heap. V8 does not know of them, or does not
 * count them while the object is young: the hashes of 20,000 components held 40 MB until the heap was next looked at. Does
 * nothing before `boundHeapGrowth`.
 */
export function noteBesideHeap(bytes: number): void {
  beside += bytes;
  if (beside < MOST_BESIDE) return;
  beside = 0;
  collectYoung();
}

/** Node.js has no function for it, and shows V8's own only where this flag is set while a context is made; else nothing is collected. */
function youngCollector(): () => void {
  setFlagsFromString('--expose-gc');
  const collect: ((options: { type: 'minor' }) => void) | undefined = runInNewContext('globalThis.gc');
  setFlagsFromString('--no-expose-gc');
  return () => collect?.({ type: 'minor' });
}
