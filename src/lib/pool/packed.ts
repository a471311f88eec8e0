import { MalformedInput } from '../faults.js';
import type { Breather } from '../pace.js';
import { portions } from '../portions.js';

/**
 * The result of a task on its way from a thread: as JSON in UTF-8, in portions that its receiver parses in less than a
 * millisecond each. What waits does not take memory of the heap.
 */
export type Packed = readonly Uint8Array[];

/**
 * Packs a result: each list in it in portions, and each of its other fields as one.
 * @param mostMb what all portions may take: a short document can name one long text many times, which takes memory only once that is
 * written out
 * @throws MalformedInput for more than that
 */
export function packed(result: object, mostMb: number): Packed {
  const encoder = new TextEncoder();
  let bytesLeft = mostMb * 1_000_000;
  return Array.from(texts(result), (text) => {
    const bytes = encoder.encode(text);
    bytesLeft -= bytes.length;
    if (bytesLeft < 0) throw new MalformedInput(`what it says takes more than ${mostMb} MB of memory`);
    return bytes;
  });
}

function* texts(result: object): Generator<string> {
  for (const [field, value] of Object.entries(result)) {
    yield JSON.stringify({ [field]: Array.isArray(value) ? [] : value });
    if (!Array.isArray(value)) continue;
    for (const some of portions(itemsOf(value), ({ length }) => length))
      yield `{${JSON.stringify(field)}:[${some.join()}]}`;
  }
}

function* itemsOf(list: readonly unknown[]): Generator<string> {
  for (const item of list) yield JSON.stringify(item);
}

/** Puts a result together again, with pauses: what comes of a list is added to it. */
export async function unpacked<Result extends object>(parts: Packed, breathe: Breather): Promise<Result> {
  const decoder = new TextDecoder();
  const result: Record<string, unknown> = {};
  for (const part of parts) {
    for (const [field, value] of Object.entries(JSON.parse(decoder.decode(part)))) {
      const before = result[field];
      if (Array.isArray(before)) before.push(...(value as unknown[]));
      else result[field] = value;
    }
    await breathe();
  }
  return result as Result;
}
